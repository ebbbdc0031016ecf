/** What the commands of `npm run books` share: the operator's decision, and the ledger that it is sent to. */
import { type BookId, bookIdOf, idOf, isId, type Mode, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { RpcClient } from "../../../services/platform/rpc/client.ts";
import { setTypeParsers, type Sql } from "../../../services/platform/persistence/sql.ts";
import { operatorDatabase, operatorNats } from "../command-line/connections.ts";
import { type Decided, decidedBy } from "../command-line/decision.ts";
import { type Given, Misuse } from "../command-line/given.ts";

/** The book, and the operator's name and reason. */
export function decisionOf(given: Given): { book: BookId; event: Decided } {
  return { book: bookOf(given.argument(0)), event: decidedBy(given) };
}

export function bookOf(text: string): BookId {
  if (isId("book", text)) return text;
  throw new Misuse(`${text} is not a book's id, book_…; see npm run tenants -- list`);
}

/** The book that the operator asks about; undefined if all. */
export function onlyBookOf(given: Given): BookId | undefined {
  const text = given.arguments[0];
  return text === undefined ? undefined : bookOf(text);
}

/** The request's caller: the book's tenant, with the operator as principal. */
export async function callerOf(sql: Sql, book: BookId, by: string): Promise<Caller> {
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

export async function withRpc(act: (rpc: RpcClient) => Promise<unknown>): Promise<void> {
  const nats = await operatorNats();
  try {
    await act(new RpcClient(nats));
  } finally {
    await nats.drain();
  }
}

/** Runs statements as the owner of the database, in the ledger's schema. */
export async function inLedger(act: (sql: Sql) => Promise<void>): Promise<void> {
  const client = await operatorDatabase();
  setTypeParsers(client);
  const sql: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;
  try {
    await sql("set search_path = ledger");
    await act(sql);
  } finally {
    await client.end();
  }
}
