import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Rail } from "../../../../contracts/rails/rails.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { UnreportedMovement } from "../domain/bank-statement.ts";

interface MovementRow {
  source: string;
  order_id: string | null;
  kind: "Settlement" | "Return" | "Inbound";
  side: "In" | "Out";
  amount_cents: bigint;
  reference: string;
  occurred_at: Date;
  rail: Rail;
}

/**
 * A movement commits after its `occurredAt`. A statement therefore also reads the hour before the last statement's end.
 */
const maxCommitDelayMs = 60 * 60 * 1_000;

const notReported = (source: string) => `not exists (
         select from bank_statement_line l where l.source = ${source} and l.book_id = $1
       )
       and not exists (
         select from bank_statement_error f where f.source = ${source} and f.book_id = $1
       )`;

/** A book's movements before `endsAt` that are on no statement and that no error withholds, in order of time. */
export async function unreportedMovements(
  sql: Sql,
  book: BookId,
  period: { readonly previousEndsAt: Date | null; readonly endsAt: Date },
): Promise<UnreportedMovement[]> {
  const since = new Date((period.previousEndsAt?.getTime() ?? 0) - maxCommitDelayMs);
  const ofOrder = "(m.order_id::text || '/' || m.number::text)";
  const ofTransfer = "('inbound/' || t.bank_reference)";
  const rows = await sql<MovementRow>(
    `select ${ofOrder} as source, m.order_id, m.kind, m.side, m.amount_cents, m.reference, m.occurred_at, i.rail
     from bank_movement m
     cross join lateral (select x.rail from instruction x where x.order_id = m.order_id offset 0) i
     where m.book_id = $1
       and m.occurred_at >= $2
       and m.occurred_at < $3
       and ${notReported(ofOrder)}
     union all
     select ${ofTransfer}, null, 'Inbound', 'In', t.amount_cents, t.bank_reference, t.occurred_at, t.rail
     from inbound_transfer t
     where t.book_id = $1
       and t.occurred_at >= $2
       and t.occurred_at < $3
       -- A Debit is refused, so it moves no money.
       and t.direction = 'Credit'
       and ${notReported(ofTransfer)}
     order by occurred_at, source`,
    [uuidOf(book), since.toISOString(), period.endsAt.toISOString()],
  );
  return rows.map(toMovement);
}

const accountOf: Readonly<Record<Rail, UnreportedMovement["line"]["account"]>> = {
  Ach: "SettlementCash",
  SameDayAch: "SettlementCash",
  Rtp: "SettlementCash",
  Wire: "SettlementCash",
  Book: "SettlementCash",
  Usdc: "StablecoinWallet",
};

function toMovement(row: MovementRow): UnreportedMovement {
  return {
    source: row.source,
    line: {
      account: accountOf[row.rail],
      side: row.side,
      amountCents: Number(row.amount_cents),
      reference: row.reference,
      customerReference: row.order_id === null ? null : idOf("po", row.order_id),
      kind: row.kind,
      occurredAt: row.occurred_at.toISOString(),
    },
  };
}

/** Every book with movements at the bank. Reads the index once per book. */
export async function booksWithMovements(sql: Sql): Promise<BookId[]> {
  const moved = (table: string) => `with recursive moved as (
       (select book_id from ${table} order by book_id limit 1)
       union all
       select (select m.book_id from ${table} m where m.book_id > moved.book_id order by m.book_id limit 1)
       from moved
       where moved.book_id is not null
     )
     select book_id from moved where book_id is not null`;
  const rows = await sql<{ book_id: string }>(
    `(${moved("bank_movement")}) union (${moved("inbound_transfer")})`,
  );
  return rows.map(({ book_id }) => idOf("book", book_id));
}
