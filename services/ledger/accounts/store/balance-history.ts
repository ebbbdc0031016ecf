import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { CounterColumns } from "../../posting/store/accounts.ts";
import { endOf } from "../../posting/store/as-of.ts";

export interface BalancePoint extends CounterColumns {
  /** Milliseconds since 1970. */
  readonly at_ms: bigint;
}

/** The database's time, in milliseconds since 1970: journals are dated by it. */
export async function databaseTime(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: Date }>("select clock_timestamp() as now");
  if (row === undefined) throw new TypeError("a select without a table gives one row");
  return row.now.getTime();
}

/**
 * An account's counters at each of some times, in the order of the times, as `account_as_of` gives them: a search along
 * journals per time, and one along the account's entries per state, however many times share it.
 */
export function readBalanceHistory(
  sql: Sql,
  book: string,
  account: string,
  timesMs: readonly number[],
): Promise<BalancePoint[]> {
  const { end } = endOf({ kind: "Recorded", asOfMs: 0 }, "u.at_ms");
  return sql<BalancePoint>(
    `with point as materialized (
       select u.at_ms, u.position, checkpoint_before($1, ${end}) as seq
       from unnest($3::bigint[]) with ordinality as u (at_ms, position)
     ), state as materialized (
       select s.seq, b.*
       from (select distinct seq from point) s
       cross join lateral account_as_of($1, $2, s.seq, null) b
     )
     select p.at_ms, s.held_debit, s.held_credit, s.released_debit, s.released_credit, s.posted_debit, s.posted_credit
     from point p
     join state s using (seq)
     order by p.position`,
    [book, account, arrayLiteral(timesMs.map(String))],
  );
}
