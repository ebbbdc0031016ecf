import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { waitUntilRecorded } from "../posting/store/as-of.ts";
import { type AccountPageRow, findAccount } from "./store/accounts.ts";

/** An account of the book, system accounts included. Refusals: `not_found`. */
export async function ownAccount(sql: Sql, book: string, id: string): Promise<AccountPageRow> {
  const row = isId("la", id) ? await findAccount(sql, book, uuidOf(id)) : undefined;
  if (row === undefined) throw notFound("ledger account");
  return row;
}

/**
 * Refuses a future time, because the answer for a time must never change. `pointer` names the parameter, such as
 * `?asOf`. Call it outside any transaction, before the read.
 */
export async function requirePast(sql: Sql, book: BookId, atMs: number, pointer: string): Promise<void> {
  if (await waitUntilRecorded(sql, uuidOf(book), atMs)) return;
  const name = pointer.slice(1);
  throw new Refusal(
    "invalid_field",
    `Send a time in the past, or leave ${name} out for the current balances.`,
    { errors: [{ pointer, code: "invalid_field", message: "is in the future" }] },
  );
}
