import { type CounterpartyId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { CounterpartySnapshot } from "../../order/counterparty.ts";
import type { CounterpartyKey } from "./counterparties.ts";

/**
 * The details that orders copy from the counterparties that they name. A counterparty of another book is not in the
 * map. SQL instead of entities: one statement reads all counterparties of a batch, together with its other reads.
 */
export async function readCounterpartySnapshots(
  sql: Sql,
  keys: readonly CounterpartyKey[],
): Promise<Map<CounterpartyId, CounterpartySnapshot>> {
  const rows = await sql<CounterpartySnapshot>(
    `select c.book_id as book, c.id, c.name, c.verification_status as "verificationStatus",
       c.earlier_editors || c.details_entered_by as makers, c.archived_at is not null as archived, coalesce((
       select jsonb_agg(jsonb_build_object(
         'rail', a.rail,
         'accountNumber', jsonb_build_object('keyId', a.key_id, 'ciphertext', a.ciphertext, 'last4', a.last4),
         'routingNumber', a.routing_number, 'accountType', a.account_type) order by a.position)
       from counterparty_account a
       where a.book_id = c.book_id
         and a.counterparty_id = c.id), '[]') as accounts, coalesce((
       select jsonb_agg(jsonb_build_object('id', p.id, 'rails', p.rails, 'correctBy', p.correct_by) order by p.id)
       from proposed_change p
       where p.book_id = c.book_id
         and p.counterparty_id = c.id
         and p.status = 'Open'), '[]') as "openChanges"
     from unnest($1::uuid[], $2::uuid[]) as k (book_id, id)
     cross join lateral (
       select * from counterparty n
       where n.book_id = k.book_id
         and n.id = k.id
       offset 0
     ) c`,
    [keys.map(({ book }) => uuidOf(book)), keys.map(({ id }) => uuidOf(id))],
  );
  return new Map(rows.map((row) => [idOf("cp", row.id), snapshotOf(row)]));
}

/** Ids come as uuids, and times as JSON writes them. */
function snapshotOf(row: CounterpartySnapshot): CounterpartySnapshot {
  const openChanges = row.openChanges.map(({ id, rails, correctBy }) => ({
    id: idOf("chg", id),
    rails,
    correctBy: new Date(correctBy).toISOString(),
  }));
  return { ...row, book: idOf("book", row.book), id: idOf("cp", row.id), openChanges };
}
