/** `npm run books`: frozen books, deferred commands, books that a consumer has set aside, Suspense, forms of ids. */
import { type BookId, idOf, uuidOf } from "../../contracts/ids/ids.ts";
import { FreezeBook, UnfreezeBook } from "../../contracts/messages/books.ts";
import { type Proof, proveBooks } from "../../services/ledger/audit/verify-book.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { callerOf, decisionOf, inLedger, withRpc } from "./books/decision.ts";
import { deferredCommands } from "./books/deferred-commands.ts";
import { idCommands } from "./books/ids.ts";
import { setAsideCommands } from "./books/set-aside-commands.ts";
import { suspenseCommands } from "./books/suspense.ts";
import { runTool } from "./command-line/command-line.ts";
import { decision } from "./command-line/decision.ts";
import { follow } from "./command-line/follow.ts";
import type { Given } from "./command-line/given.ts";
import { inWords, summaryOf } from "./messages/envelope-summary.ts";
import { countQuarantinedOf, listQuarantined } from "./messages/quarantined.ts";
import type { Tool } from "./command-line/tool.ts";

async function list(sql: Sql, given: Given): Promise<void> {
  const rows = await sql<{
    book_id: string;
    state: string;
    reason: string;
    actor: string;
    recorded_at: Date;
    waiting: bigint;
    position: bigint | null;
    message: string | null;
  }>(
    `select h.book_id, h.state, f.reason, f.actor, f.recorded_at, n.position, n.message,
       (select count(*) from deferred_command c where c.book_id = h.book_id and c.failure is null) as waiting
     from book_head h
     cross join lateral (
       select * from freeze_event x where x.book_id = h.book_id order by x.number desc limit 1
     ) f
     left join lateral (
       select c.position, c.message from deferred_command c
       where c.book_id = h.book_id and c.failure is null
       order by c.position
       limit 1
     ) n on true
     where h.state <> 'Open'
     order by f.recorded_at`,
  );
  if (rows.length === 0) given.note("no book is frozen");
  for (const { book_id, state, reason, actor, recorded_at, waiting, position, message } of rows) {
    const [book, since] = [idOf("book", book_id), recorded_at.toISOString()];
    const next =
      position === null || message === null ? null : { position: Number(position), ...summaryOf(message) };
    given.print(
      { book, state, since, by: actor, reason, waitingCommands: Number(waiting), next },
      `${book}  ${state} since ${since} by ${actor}: ${reason}`,
      `  ${String(waiting)} commands are deferred`,
      ...(next === null ? [] : [`  the next one: command ${String(next.position)}  ${inWords(next)}`]),
    );
  }
  await listQuarantined(sql, given);
}

async function freeze(sql: Sql, given: Given): Promise<void> {
  const { book, event } = decisionOf(given);
  const caller = await callerOf(sql, book, event.by);
  await withRpc((rpc) => rpc.request(FreezeBook, { caller }, event));
  given.print({ book, state: "Frozen" }, `frozen  ${book}: its commands are deferred, other books continue`);
}

async function unfreeze(sql: Sql, given: Given): Promise<void> {
  const { book, event } = decisionOf(given);
  const caller = await callerOf(sql, book, event.by);
  // Somebody has proven it before: the ledger is replaying its commands.
  if (await isReleasing(sql, book)) return untilOpen(sql, book, given);
  const { journals, head, violations } = await prove(sql, book);
  if (violations.length > 0) {
    for (const { check, detail } of violations) given.print({ book, check, detail }, `  ${check}: ${detail}`);
    throw new Error(`${book} is not proven: it stays frozen`);
  }
  given.note(`proven  ${book}  ${String(journals)} journals  head ${head.slice(0, 16)}`);
  const proof = { provenSequence: journals, provenHead: head };
  await withRpc((rpc) => rpc.request(UnfreezeBook, { caller }, { ...event, ...proof }));
  await untilOpen(sql, book, given);
}

/** Before the proof, which reads every journal. The ledger checks it again. Throws if the book is open. */
async function isReleasing(sql: Sql, book: BookId): Promise<boolean> {
  const rows = await sql<{ state: string }>("select state from book_head where book_id = $1", [uuidOf(book)]);
  const state = rows[0]?.state ?? "Open";
  if (state === "Open") throw new Error(`${book} is Open, not Frozen: npm run books -- list`);
  return state === "Releasing";
}

async function prove(sql: Sql, book: BookId): Promise<Proof> {
  await sql("begin");
  const [proof] = await proveBooks(sql, book);
  await sql("commit");
  if (proof === undefined) throw new Error(`there is no book ${book}`);
  return proof;
}

/** The ledger replays the commands even if this process ends. */
async function untilOpen(sql: Sql, book: BookId, given: Given): Promise<void> {
  const left = async () => {
    const [row] = await sql<{ state: string; waiting: bigint }>(
      `select h.state,
         (select count(*) from deferred_command c where c.book_id = h.book_id and c.failure is null) as waiting
       from book_head h
       where h.book_id = $1`,
      [uuidOf(book)],
    );
    if (row?.state === "Frozen") throw new Error(`${book} was frozen again: npm run books -- list`);
    return row?.state === "Open" ? undefined : `${String(row?.waiting)} commands are deferred`;
  };
  await follow(given, { service: "ledger", record: { book, state: "Releasing" }, left });
  const quarantined = await countQuarantinedOf(sql, book);
  given.print(
    { book, state: "Open", quarantinedCommands: quarantined },
    `open  ${book}`,
    quarantined === 0
      ? "no command of the book is quarantined"
      : `${String(quarantined)} commands of the book are quarantined: npm run books -- list`,
  );
}

export const books: Tool = {
  name: "books",
  commands: {
    list: {
      about:
        "list the frozen books: since when, why, and how many commands are deferred; and quarantined commands",
      run: (given) => inLedger((sql) => list(sql, given)),
    },
    freeze: {
      about: "stop all writes to a book; its commands are deferred",
      takes: ["<book id>"],
      options: decision,
      changes: true,
      check: decisionOf,
      run: (given) => inLedger((sql) => freeze(sql, given)),
    },
    unfreeze: {
      about: "prove a book, replay its deferred commands in order, and open it",
      takes: ["<book id>"],
      options: decision,
      changes: true,
      check: decisionOf,
      run: (given) => inLedger((sql) => unfreeze(sql, given)),
    },
    ...deferredCommands,
    ...setAsideCommands,
    ...suspenseCommands,
    ...idCommands,
  },
};

if (import.meta.main) await runTool(books);
