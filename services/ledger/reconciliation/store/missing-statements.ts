import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";

/** The earliest movements of book `b` that are on no statement compared by run `r` or before. */
const movementsAfterLastStatement = `
  -- The last run knew it, but its statement had ended.
  (
    select x.occurred_at as moved_at
    from reconciliation_item x
    where x.book_id = b.book_id and x.run = r.run and x.reason = 'NotYetAtBank'
    order by x.occurred_at
    limit 1
  )
  union all
  select j.effective_at
  from account a
  cross join lateral (
    select x.seq
    from entry x
    where x.book_id = a.book_id
      and x.account_id = a.account_id
      and x.account_version > case a.class
        when 'SettlementCash' then coalesce(r.cash_version, 0) else coalesce(r.wallet_version, 0)
      end
      and x.layer = 'Posted'
    order by x.account_version
    limit 1
  ) e
  cross join lateral (
    select x.effective_at from journal x where x.book_id = a.book_id and x.seq = e.seq offset 0
  ) j
  where a.book_id = b.book_id
    and a.class in ('SettlementCash', 'StablecoinWallet')`;

/**
 * The given books that moved cash or wallet money before the end of `day` but have neither a statement covering it nor
 * a missing-statement run. A book without movements needs no statement. A few index lookups per book.
 */
export async function booksMissingStatement(
  sql: Sql,
  books: readonly BookId[],
  day: string,
  endsAt: Date,
): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    `select b.book_id
     from unnest($3::uuid[]) b (book_id)
     left join lateral (
       select x.ends_at from bank_statement x where x.book_id = b.book_id order by x.number desc limit 1
     ) s on true
     left join lateral (
       select x.run, x.cash_version, x.wallet_version
       from reconciliation x
       where x.book_id = b.book_id
         -- Not a missing-statement run: what moved before it is on no statement yet.
         and x.statement_number is not null
       order by x.run desc
       limit 1
     ) r on true
     where (s.ends_at is null or s.ends_at < $2)
       and not exists (
         select
         from reconciliation m
         where m.banking_date = $1 and m.book_id = b.book_id and m.statement_number is null
         offset 0 -- of these books, not of all books on that day
       )
       and exists (
         select
         from (
           ${movementsAfterLastStatement}
         ) movement
         where moved_at < $2
       )`,
    [day, endsAt.toISOString(), arrayLiteral(books.map(uuidOf))],
  );
  return rows.map(({ book_id }) => idOf("book", book_id));
}

interface Unreported {
  /** When money moved first that is on no statement. */
  readonly movedAt: Date;
  /** The end of the last statement, which may be later: a movement can be booked with an earlier date. */
  readonly coveredUntil: Date | null;
  /** The days for which a statement was missing since. */
  readonly flagged: ReadonlySet<string>;
}

/** What a book moved that is on no statement; null if there is nothing. */
export async function unreportedSince(sql: Sql, book: BookId): Promise<Unreported | null> {
  const [row] = await sql<{ moved_at: Date | null; covered_until: Date | null; flagged: string[] | null }>(
    `select m.moved_at,
       (
         select x.ends_at from bank_statement x where x.book_id = b.book_id order by x.number desc limit 1
       ) as covered_until,
       (select array_agg(x.banking_date::text)
        from reconciliation x
        where x.book_id = b.book_id and x.statement_number is null and x.banking_date >= m.moved_at::date - 1) as flagged
     from (select $1::uuid as book_id) b
     left join lateral (
       select x.run, x.cash_version, x.wallet_version
       from reconciliation x
       where x.book_id = b.book_id and x.statement_number is not null
       order by x.run desc
       limit 1
     ) r on true
     cross join lateral (
       select min(moved_at) as moved_at
       from (
         ${movementsAfterLastStatement}
       ) movement
     ) m`,
    [uuidOf(book)],
  );
  if (row === undefined || row.moved_at === null) return null;
  return { movedAt: row.moved_at, coveredUntil: row.covered_until, flagged: new Set(row.flagged) };
}
