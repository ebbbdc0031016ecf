import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { idArray } from "../../../platform/persistence/uuid-array.ts";
import type { BankMovement } from "../domain/bank-movements.ts";

/**
 * Books money that moved at the bank. A second movement of the same event violates the primary key. What belongs to no
 * order moves once per reference: two payments to which chance gives the same one have the same return.
 */
export async function insertMovements(sql: Sql, movements: readonly BankMovement[]): Promise<void> {
  if (movements.length === 0) return;
  await sql(
    `insert into bank_movement (order_id, number, book_id, kind, side, amount_cents, reference, occurred_at)
     select * from unnest(
       $1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::timestamptz[]
     )
     on conflict (book_id, reference) where kind in ('UnmatchedReturn', 'SentBack') do nothing`,
    [
      idArray(movements.map(({ orderId }) => orderId)),
      arrayLiteral(movements.map(({ number }) => number)),
      idArray(movements.map(({ book }) => book)),
      arrayLiteral(movements.map(({ kind }) => kind)),
      arrayLiteral(movements.map(({ side }) => side)),
      arrayLiteral(movements.map(({ amountCents }) => amountCents)),
      movements.map(({ reference }) => reference),
      arrayLiteral(movements.map(({ occurredAt }) => occurredAt.toISOString())),
    ],
  );
}
