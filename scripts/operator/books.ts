/** `npm run books`: frozen books, quarantined commands, and books that a consumer has set aside. */
import { type BookId, bookIdOf, idOf, isId, type Mode, newId, uuidOf } from "../../contracts/ids/ids.ts";
import type { Caller, Service } from "../../contracts/message.ts";
import { FreezeBook, RetryCommand, UnfreezeBook } from "../../contracts/messages/books.ts";
import { issueMessage } from "../../contracts/text/issue-message.ts";
import { type Proof, proveBooks } from "../../services/ledger/audit/verify-book.ts";
import { RpcClient } from "../../services/platform/rpc/client.ts";
import { setTypeParsers, type Sql } from "../../services/platform/persistence/sql.ts";
import { runTool } from "./command-line/command-line.ts";
import { operatorDatabase, operatorNats } from "./command-line/connections.ts";
import { follow } from "./command-line/follow.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import { listQuarantined, positionOf, printRetry } from "./messages/quarantined.ts";
import {
  type Decided,
  isConsumer,
  leaveOutFirst,
  listSetAside,
  releaseSetAside,
} from "./messages/set-aside.ts";
import type { Tool } from "./command-line/tool.ts";

type Database = Awaited<ReturnType<typeof operatorDatabase>>;

async function list(sql: Sql, given: Given): Promise<void> {
  const rows = await sql<{
    book_id: string;
    state: string;
    reason: string;
    actor: string;
    recorded_at: Date;
    waiting: bigint;
    failed: bigint;
  }>(
    `select h.book_id, h.state, f.reason, f.actor, f.recorded_at,
       (select count(*) from deferred_command c where c.book_id = h.book_id and c.failure is null) as waiting,
       (select count(*) from deferred_command c where c.book_id = h.book_id and c.failure is not null) as failed
     from book_head h
     cross join lateral (
       select * from freeze_event x where x.book_id = h.book_id order by x.number desc limit 1
     ) f
     where h.state <> 'Open'
     order by f.recorded_at`,
  );
  if (rows.length === 0) given.note("no book is frozen");
  for (const { book_id, state, reason, actor, recorded_at, waiting } of rows) {
    const [book, since] = [idOf("book", book_id), recorded_at.toISOString()];
    given.print(
      { book, state, since, by: actor, reason, waitingCommands: Number(waiting) },
      `${book}  ${state} since ${since} by ${actor}: ${reason}`,
      `  ${String(waiting)} commands are deferred`,
    );
  }
  await listQuarantined(sql, given);
}

/** The request's caller: the book's tenant, with the operator as principal. */
async function callerOf(sql: Sql, book: BookId, by: string): Promise<Caller> {
  const [row] = await sql<{ tenant_id: string; mode: Mode }>(
    "select tenant_id, mode from book where book_id = $1",
    [uuidOf(book)],
  );
  if (row === undefined) throw new Error(`there is no book ${book}`);
  const tenant = idOf("ten", row.tenant_id);
  return {
    book: bookIdOf(tenant, row.mode),
    tenant,
    mode: row.mode,
    principal: `operator:${by}`,
    requestId: newId("req"),
  };
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

/** The ledger applies the command, or it stays quarantined with its new failure. */
async function retry(sql: Sql, given: Given): Promise<void> {
  const { book, position, event } = retryOf(given);
  const caller = await callerOf(sql, book, event.by);
  await withRpc(async (rpc) => {
    const { value } = await rpc.request(RetryCommand, { caller }, { ...event, position });
    printRetry(given, { book, position }, value);
  });
}

/** Before the proof, which reads every journal. The ledger checks it again. Throws if the book is open. */
async function isReleasing(sql: Sql, book: BookId): Promise<boolean> {
  const rows = await sql<{ state: string }>("select state from book_head where book_id = $1", [uuidOf(book)]);
  const state = rows[0]?.state ?? "Open";
  if (state === "Open") throw new Error(`${book} is Open, not Frozen: npm run books -- list`);
  return state === "Releasing";
}

/** The book, and the operator's name and reason. */
function decisionOf(given: Given): { book: BookId; event: { reason: string; by: string } } {
  const book = given.argument(0);
  if (!isId("book", book))
    throw new Misuse(`${book} is not a book's id, book_…; see npm run tenants -- list`);
  const event = FreezeBook.data.safeParse(
    { reason: given.required("reason"), by: given.by },
    { error: issueMessage },
  );
  if (event.success) return { book, event: event.data };
  const [issue] = event.error.issues;
  throw new Misuse(`--${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

/** What `decisionOf` reads, and the position of a quarantined command. */
function retryOf(given: Given): ReturnType<typeof decisionOf> & { position: number } {
  const position = positionOf(given.argument(1));
  return { ...decisionOf(given), position };
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
  given.print({ book, state: "Open" }, `open  ${book}`);
}

async function withRpc(act: (rpc: RpcClient) => Promise<unknown>): Promise<void> {
  const nats = await operatorNats();
  try {
    await act(new RpcClient(nats));
  } finally {
    await nats.drain();
  }
}

async function inLedger(act: (sql: Sql) => Promise<void>): Promise<void> {
  const client: Database = await operatorDatabase();
  setTypeParsers(client);
  const sql: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;
  try {
    await sql("set search_path = ledger");
    await act(sql);
  } finally {
    await client.end();
  }
}

async function aside(sql: Sql, given: Given): Promise<void> {
  const found = await listSetAside(sql);
  if (found.length === 0) given.note("no book is set aside");
  for (const { service, stream, book, state, reason, since, messages } of found) {
    given.print(
      { service, stream, book, state, reason, since, messages },
      `${book}  ${service} ${stream}  ${state} since ${since.toISOString()}: ${reason}`,
      `  ${String(messages)} messages are stored`,
    );
  }
}

/** The service applies the messages even if this process ends. */
async function release(sql: Sql, given: Given): Promise<void> {
  const { book, service, decided } = setAsideOf(given);
  await releaseSetAside(sql, service, book, decided);
  const left = async () => {
    const rest = (await listSetAside(sql, [service])).filter((one) => one.book === book);
    const stopped = rest.find(({ state }) => state === "Aside");
    if (stopped !== undefined) throw new Error(`${book} is set aside again: ${stopped.reason}`);
    const messages = rest.reduce((sum, one) => sum + one.messages, 0);
    return rest.length === 0 ? undefined : `${String(messages)} messages are stored`;
  };
  await follow(given, { service, record: { book, service, state: "Releasing" }, left });
  given.print(
    { book, service, state: "Released" },
    `released  ${book}: ${service} applies its messages again`,
  );
}

async function leaveOut(sql: Sql, given: Given): Promise<void> {
  const { book, service, decided } = setAsideOf(given);
  const nats = await operatorNats();
  try {
    const messageId = await leaveOutFirst(sql, nats, service, book, decided);
    given.print({ book, service, messageId }, `left out  ${messageId}: npm run dlq -- list`);
  } finally {
    await nats.drain();
  }
}

/** The book and the service that has set it aside, and the operator's name and reason. */
function setAsideOf(given: Given): { book: BookId; service: Service; decided: Decided } {
  const { book, event } = decisionOf(given);
  const service = given.argument(1);
  if (!isConsumer(service)) throw new Misuse(`${service} is no service that consumes messages`);
  return { book, service, decided: event };
}

const decision = { reason: { value: "<why>", required: true } } as const;

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
    retry: {
      about: "have the ledger try a quarantined command of an open book again",
      takes: ["<book id>", "<position>"],
      options: decision,
      changes: true,
      check: retryOf,
      run: (given) => inLedger((sql) => retry(sql, given)),
    },
    aside: {
      about:
        "list the books that a consumer has set aside: since when, why, and how many messages are stored",
      run: (given) => inLedger((sql) => aside(sql, given)),
    },
    release: {
      about:
        "apply the stored messages of a book that was set aside, in their order; then it goes on as usual",
      takes: ["<book id>", "<service>"],
      options: decision,
      changes: true,
      check: setAsideOf,
      run: (given) => inLedger((sql) => release(sql, given)),
    },
    "leave-out": {
      about: "dead-letter the first stored message of a book that was set aside",
      takes: ["<book id>", "<service>"],
      options: decision,
      changes: true,
      check: setAsideOf,
      run: (given) => inLedger((sql) => leaveOut(sql, given)),
    },
  },
};

if (import.meta.main) await runTool(books);
