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

function since(previousEndsAt: Date | null): string {
  return new Date((previousEndsAt?.getTime() ?? 0) - maxCommitDelayMs).toISOString();
}

const sources = {
  order: "(m.order_id::text || '/' || m.number::text)",
  transfer: "('inbound/' || t.bank_reference)",
};

/** When the first movement happened that is on no statement and that no error withholds. Null if there is none. */
export async function readFirstUnreported(
  sql: Sql,
  book: BookId,
  previousEndsAt: Date | null,
): Promise<Date | null> {
  const [row] = await sql<{ occurred_at: Date | null }>(
    `select least(
       (select m.occurred_at
        from bank_movement m
        where m.book_id = $1
          and m.occurred_at >= $2
          and ${notReported(sources.order)}
        order by m.occurred_at
        limit 1),
       (select t.occurred_at
        from inbound_transfer t
        where t.book_id = $1
          and t.occurred_at >= $2
          and t.direction = 'Credit'
          and ${notReported(sources.transfer)}
        order by t.occurred_at
        limit 1)
     ) as occurred_at`,
    [uuidOf(book), since(previousEndsAt)],
  );
  return row?.occurred_at ?? null;
}

/** A statement names no order for a return of none, and for a payment that its receiver sent back as a new one. */
const asPrinted = `case when m.kind in ('Settlement', 'Return') then m.order_id end as order_id,
       case m.kind when 'UnmatchedReturn' then 'Return' when 'SentBack' then 'Inbound' else m.kind end as kind`;

/** A book's movements before `endsAt` that are on no statement and that no error withholds, in order of time. */
export async function unreportedMovements(
  sql: Sql,
  book: BookId,
  period: { readonly previousEndsAt: Date | null; readonly endsAt: Date },
): Promise<UnreportedMovement[]> {
  const rows = await sql<MovementRow>(
    `select ${sources.order} as source, ${asPrinted}, m.side, m.amount_cents, m.reference, m.occurred_at, i.rail
     from bank_movement m
     cross join lateral (select x.rail from instruction x where x.order_id = m.order_id offset 0) i
     where m.book_id = $1
       and m.occurred_at >= $2
       and m.occurred_at < $3
       and ${notReported(sources.order)}
     union all
     select ${sources.transfer}, null, 'Inbound', 'In', t.amount_cents, t.bank_reference, t.occurred_at, t.rail
     from inbound_transfer t
     where t.book_id = $1
       and t.occurred_at >= $2
       and t.occurred_at < $3
       -- A Debit is refused, so it moves no money.
       and t.direction = 'Credit'
       and ${notReported(sources.transfer)}
     order by occurred_at, source`,
    [uuidOf(book), since(period.previousEndsAt), period.endsAt.toISOString()],
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

/** When money last moved in the book at the bank before that time. */
export async function readLastMovement(sql: Sql, book: BookId, before: Date): Promise<Date | null> {
  const [row] = await sql<{ occurred_at: Date | null }>(
    `select greatest(
       (select m.occurred_at
        from bank_movement m
        where m.book_id = $1
          and m.occurred_at < $2
        order by m.occurred_at desc
        limit 1),
       (select t.occurred_at
        from inbound_transfer t
        where t.book_id = $1
          and t.occurred_at < $2
          and t.direction = 'Credit'
        order by t.occurred_at desc
        limit 1)
     ) as occurred_at`,
    [uuidOf(book), before.toISOString()],
  );
  return row?.occurred_at ?? null;
}
