/**
 * `npm run books -- list`: the frozen books, since when and why, and how many commands wait for each.
 * `npm run books -- freeze <book id> --reason "…" --by <name>`: stops all writes to a book; its commands are deferred.
 * `npm run books -- unfreeze <book id> --reason "…" --by <name>`: proves the book, replays its deferred commands in
 * order, and opens it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type BookId, bookIdOf, idOf, isId, type Mode, newId, uuidOf } from "../../contracts/ids/ids.ts";
import type { Caller } from "../../contracts/message.ts";
import { FreezeBook, UnfreezeBook } from "../../contracts/messages/books.ts";
import { type Proof, proveBooks } from "../../services/ledger/audit/verify-book.ts";
import { RpcClient } from "../../services/platform/rpc/client.ts";
import { parseExactly, type Sql } from "../../services/platform/persistence/sql.ts";
import { operatorDatabase, operatorNats, runTool } from "./connections.ts";

type Database = Awaited<ReturnType<typeof operatorDatabase>>;
const pollIntervalMs = 300;

const usage = `usage: npm run books -- list
       npm run books -- freeze <book id> --reason "why" --by <your name>
       npm run books -- unfreeze <book id> --reason "what was repaired" --by <your name>`;

async function list(sql: Sql): Promise<void> {
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
  if (rows.length === 0) console.log("no book is frozen");
  for (const { book_id, state, reason, actor, recorded_at, waiting } of rows) {
    console.log(
      `${idOf("book", book_id)}  ${state} since ${recorded_at.toISOString()} by ${actor}: ${reason}\n  ${String(waiting)} commands wait`,
    );
  }
  await listFailed(sql);
}

/** Deferred commands that failed because of their sender. The book may already be open. */
async function listFailed(sql: Sql): Promise<void> {
  const rows = await sql<{ book_id: string; message: string; failure: string }>(
    "select book_id, message, failure from deferred_command where failure is not null order by book_id, position",
  );
  for (const { book_id, message, failure } of rows) {
    console.log(`${idOf("book", book_id)}  could not be replayed: ${failure}\n  ${message}`);
  }
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

async function freeze(sql: Sql, book: BookId, event: { reason: string; by: string }): Promise<void> {
  const caller = await callerOf(sql, book, event.by);
  await withRpc((rpc) => rpc.request(FreezeBook, { caller }, event));
  console.log(`frozen  ${book}: its commands wait, other books continue`);
}

async function unfreeze(sql: Sql, book: BookId, event: { reason: string; by: string }): Promise<void> {
  const caller = await callerOf(sql, book, event.by);
  const { journals, head, violations } = await prove(sql, book);
  if (violations.length > 0) {
    for (const { check, detail } of violations) console.log(`  ${check}: ${detail}`);
    throw new Error(`${book} is not proven: it stays frozen`);
  }
  console.log(`proven  ${book}  ${String(journals)} journals  head ${head.slice(0, 16)}`);
  const proof = { provenSequence: journals, provenHead: head };
  await withRpc((rpc) => rpc.request(UnfreezeBook, { caller }, { ...event, ...proof }));
  await untilOpen(sql, book);
}

async function prove(sql: Sql, book: BookId): Promise<Proof> {
  await sql("begin");
  const [proof] = await proveBooks(sql, book);
  await sql("commit");
  if (proof === undefined) throw new Error(`there is no book ${book}`);
  return proof;
}

/** Shows the progress. The ledger replays the commands even if this process ends. */
async function untilOpen(sql: Sql, book: BookId): Promise<void> {
  for (let waiting: bigint | undefined; ; await delay(pollIntervalMs)) {
    const [row] = await sql<{ state: string; waiting: bigint }>(
      `select h.state,
         (select count(*) from deferred_command c where c.book_id = h.book_id and c.failure is null) as waiting
       from book_head h
       where h.book_id = $1`,
      [uuidOf(book)],
    );
    if (row?.state === "Open") {
      console.log(`open  ${book}`);
      return;
    }
    if (row?.state === "Frozen") throw new Error(`${book} was frozen again: npm run books -- list`);
    if (row?.waiting !== waiting) console.log(`${String(row?.waiting)} commands wait`);
    waiting = row?.waiting;
  }
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
  parseExactly(client);
  const sql: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;
  try {
    await sql("set search_path = ledger");
    await act(sql);
  } finally {
    await client.end();
  }
}

await runTool(async () => {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({ options: { reason: text, by: text }, allowPositionals: true });
  const [action, book = ""] = positionals;
  if (action === "list") return inLedger(list);
  if ((action !== "freeze" && action !== "unfreeze") || !isId("book", book)) throw new Error(usage);
  const event = FreezeBook.data.safeParse(values);
  if (!event.success) {
    const [issue] = event.error.issues;
    throw new Error(`--${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}\n${usage}`);
  }
  return inLedger((sql) => (action === "freeze" ? freeze : unfreeze)(sql, book, event.data));
});
