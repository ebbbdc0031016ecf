import type { Sql } from "../../../platform/persistence/sql.ts";
import type { AsOf } from "../../book/as-of.ts";

/** SQL fragments that read the balances of accounts `a` at a moment. `$1` is the book. */
export interface AsOfSql {
  /** A join named `b`: the counters and `last_seq` of account `a`. */
  readonly balance: string;
  /** A table expression named `c`: the counters of each class. */
  readonly classes: string;
  /** A condition that leaves out accounts opened later. */
  readonly opened: string;
  /** The moment, as the statement's last parameter; empty for now. */
  readonly params: readonly unknown[];
}

/** The first instant after a millisecond since 1970. */
const endOfTime = (ms: string) => `'epoch'::timestamptz + (${ms}::bigint + 1) * interval '1 millisecond'`;
const newYork = "at time zone 'America/New_York'";
/** The New York day of a time, and the first instant of such a day. */
export const dayOf = (time: string) => `(${time} ${newYork})::date`;
export const startOfDay = (day: string) => `(${day})::timestamp ${newYork}`;
const endOfDay = (day: string) => startOfDay(`${day}::date + 1`);

/** The first version of account `$2` of book `$1` that was recorded at a time or after it. */
export const firstVersionAt = (time: string) => `first_version_at($1, $2, first_journal_at($1, ${time}))`;

/** The first instant after a moment, and the value of the parameter (for example `$4`) that the moment is sent as. */
export function endOf(moment: AsOf, placeholder: string): { readonly end: string; readonly param: unknown } {
  return moment.kind === "Recorded"
    ? { end: endOfTime(placeholder), param: moment.asOfMs }
    : { end: endOfDay(placeholder), param: moment.day };
}

/** The checkpoint's sequence is an uncorrelated subquery, so it runs once and not per account. */
export function asOfSql(moment: AsOf, placeholder: string): AsOfSql {
  const { end, param } = endOf(moment, placeholder);
  const day = moment.kind === "Recorded" ? "null" : `${placeholder}::date`;
  const sequence = `(select checkpoint_before($1, ${end}))`;
  return {
    balance: `cross join lateral account_as_of(a.book_id, a.account_id, ${sequence}, ${day}) b`,
    classes: `classes_as_of($1, ${sequence}, ${day}) c`,
    // By effective date none is left out: an account opened today may have money that is dated last year.
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
