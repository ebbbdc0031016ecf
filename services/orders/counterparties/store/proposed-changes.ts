import { type BookId, idOf, type ProposedChangeId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { ProposedChange } from "../domain/proposed-change.ts";
import type { CounterpartyKey } from "./counterparties.ts";

const columns = `p.book_id as book, p.id, p.counterparty_id as "counterpartyId", p.order_id as "orderId", p.status,
       p.rails, p.code, p.corrected_data as "correctedData", p.received_at as "receivedAt", p.correct_by as "correctBy",
       p.decided_by as "decidedBy", p.decided_at as "decidedAt"`;

function changeOf(row: ProposedChange): ProposedChange {
  return {
    ...row,
    book: idOf("book", row.book),
    id: idOf("chg", row.id),
    counterpartyId: idOf("cp", row.counterpartyId),
    orderId: idOf("po", row.orderId),
  };
}

/** Locks counterparties in the order of their keys. Whoever writes a proposal has locked its counterparty. */
export async function lockCounterparties(sql: Sql, keys: readonly CounterpartyKey[]): Promise<void> {
  await sql(
    `select 1
     from (
       select * from unnest($1::uuid[], $2::uuid[]) as n (book_id, id) order by n.book_id, n.id
     ) k
     cross join lateral (
       select 1 from counterparty c
       where c.book_id = k.book_id
         and c.id = k.id
       for update
     ) c`,
    columnsOfKeys(keys),
  );
}

/** Oldest first. */
export async function readOpenChanges(sql: Sql, keys: readonly CounterpartyKey[]): Promise<ProposedChange[]> {
  const rows = await sql<ProposedChange>(
    `select ${columns}
     from unnest($1::uuid[], $2::uuid[]) as k (book_id, id)
     join proposed_change p on p.book_id = k.book_id
       and p.counterparty_id = k.id
       and p.status = 'Open'
     order by p.id`,
    columnsOfKeys(keys),
  );
  return rows.map(changeOf);
}

function columnsOfKeys(keys: readonly CounterpartyKey[]): string[][] {
  const each = [...new Map(keys.map((key) => [`${key.book}/${key.id}`, key])).values()];
  return [each.map(({ book }) => uuidOf(book)), each.map(({ id }) => uuidOf(id))];
}

/** A proposal of that counterparty, or undefined. */
export async function readChange(
  sql: Sql,
  { book, id }: CounterpartyKey,
  changeId: ProposedChangeId,
): Promise<ProposedChange | undefined> {
  const [row] = await sql<ProposedChange>(
    `select ${columns}
     from proposed_change p
     where p.book_id = $1
       and p.id = $2
       and p.counterparty_id = $3`,
    [uuidOf(book), uuidOf(changeId), uuidOf(id)],
  );
  return row === undefined ? undefined : changeOf(row);
}

/** A page of one counterparty's proposals, newest first, with one more than `limit` if there are more. */
export async function listChanges(
  sql: Sql,
  { book, id }: CounterpartyKey,
  { limit, status }: { limit: number; status?: readonly ProposedChange["status"][] | undefined },
  afterUuid: string | null,
): Promise<ProposedChange[]> {
  const rows = await sql<ProposedChange>(
    `select ${columns}
     from proposed_change p
     where p.book_id = $1
       and p.counterparty_id = $2
       and p.id < $3
       and p.status = any (coalesce($4::text[], array[p.status]))
     order by p.id desc
     limit $5`,
    [uuidOf(book), uuidOf(id), afterUuid ?? aboveAllUuids, status ?? null, limit + 1],
  );
  return rows.map(changeOf);
}

export async function hasCounterparty(sql: Sql, { book, id }: CounterpartyKey): Promise<boolean> {
  const found = await sql("select 1 from counterparty where book_id = $1 and id = $2", [
    uuidOf(book),
    uuidOf(id),
  ]);
  return found.length > 0;
}

export async function insertChanges(sql: Sql, changes: readonly ProposedChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql(
    `insert into proposed_change
       (book_id, id, counterparty_id, order_id, status, rails, code, corrected_data, received_at, correct_by)
     select book_id, id, counterparty_id, order_id, status, array(select jsonb_array_elements_text(rails)), code,
       corrected_data, received_at, correct_by
     from jsonb_to_recordset($1::jsonb) as n (
       book_id uuid, id uuid, counterparty_id uuid, order_id uuid, status text, rails jsonb, code text,
       corrected_data jsonb, received_at timestamptz, correct_by timestamptz
     )`,
    [JSON.stringify(changes.map(rowOf))],
  );
}

function rowOf(change: ProposedChange): object {
  const { book, id, counterpartyId, orderId, correctedData, receivedAt, correctBy, ...same } = change;
  return {
    ...same,
    book_id: uuidOf(book),
    id: uuidOf(id),
    counterparty_id: uuidOf(counterpartyId),
    order_id: uuidOf(orderId),
    corrected_data: correctedData,
    received_at: receivedAt,
    correct_by: correctBy,
  };
}

export async function saveChange(sql: Sql, book: BookId, change: ProposedChange): Promise<void> {
  await sql(
    `update proposed_change
     set status = $3,
         rails = $4,
         decided_by = $5,
         decided_at = $6
     where book_id = $1
       and id = $2`,
    [uuidOf(book), uuidOf(change.id), change.status, change.rails, change.decidedBy, change.decidedAt],
  );
}
