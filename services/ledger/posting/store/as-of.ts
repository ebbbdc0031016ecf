import type { Sql } from "../../../platform/persistence/sql.ts";
import type { AsOf } from "../../book/as-of.ts";

/** How a statement reads the balances of accounts `a` at a moment, with $1 the book. */
export interface AsOfSql {
  /** `b`: the counters and `last_seq` of account `a`. */
  readonly balance: string;
  /** `c`: the counters of each class. */
  readonly classes: string;
  /** Which accounts there were. */
  readonly opened: string;
  /** The moment as the statement's last parameter; none for now. */
  readonly params: readonly unknown[];
}

/** The first instant after a millisecond since 1970. */
const endOfTime = (ms: string) => `'epoch'::timestamptz + (${ms}::bigint + 1) * interval '1 millisecond'`;
const endOfDay = (day: string) => `(${day}::date + 1)::timestamp at time zone 'America/New_York'`;

/** The first instant behind a moment, and the moment itself as the parameter that `place` (`$4`) stands for. */
export function endOf(moment: AsOf, place: string): { readonly end: string; readonly param: unknown } {
  return moment.kind === "Recorded"
    ? { end: endOfTime(place), param: moment.asOfMs }
    : { end: endOfDay(place), param: moment.day };
}

/** The sequence is a subquery that names no account: it runs once. */
export function asOfSql(moment: AsOf, place: string): AsOfSql {
  const { end, param } = endOf(moment, place);
  const day = moment.kind === "Recorded" ? "null" : `${place}::date`;
  const sequence = `(select checkpoint_before($1, ${end}))`;
  return {
    balance: `cross join lateral account_as_of(a.book_id, a.account_id, ${sequence}, ${day}) b`,
    classes: `classes_as_of($1, ${sequence}, ${day}) c`,
    // By effective time none is left out: an account may be opened today and get what moved last year.
    opened: moment.kind === "Recorded" ? `and a.created_at < ${end}` : "",
    params: [param],
  };
}

/**
 * Waits until no journal can still be recorded at or before `timeMs`, then returns true. Returns false if that time is
 * in the future. Call it outside any transaction, before the read.
 */
export async function waitUntilRecorded(sql: Sql, book: string, timeMs: number): Promise<boolean> {
  const [row] = await sql<{ over: boolean }>(
    `select no_more_journals_before($1, ${endOfTime("$2")}) as over`,
    [book, timeMs],
  );
  return row?.over === true;
}
