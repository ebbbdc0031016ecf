import type { ReconciliationStatus } from "../../../../contracts/http/ledger/reconciliations.ts";
import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import { planEachTime, type Sql } from "../../../platform/persistence/sql.ts";
import { type RunRow, runs, runsOf } from "./reconciliations.ts";

/** Newest first, `limit + 1` of them: it walks down the runs of each date, or else of each status. */
export function listRuns(
  sql: Sql,
  book: BookId,
  page: {
    readonly dates?: readonly string[] | undefined;
    readonly statuses?: readonly ReconciliationStatus[] | undefined;
    readonly before: string;
    readonly limit: number;
  },
): Promise<RunRow[]> {
  const params: unknown[] = [uuidOf(book), page.before, page.limit + 1];
  const [walked, ...others] = [
    { column: "banking_date", type: "date", values: page.dates },
    { column: "status", type: "text", values: page.statuses },
  ].flatMap(({ column, type, values }) =>
    values === undefined ? [] : [{ column, values: `$${String(params.push(values))}::${type}[]` }],
  );
  const walk = (column: string) => `
       select x.run
       from reconciliation x
       where x.book_id = $1
         and x.run < $2::bigint
         and x.${column} = w.value
         ${others.map((each) => `and x.${each.column} = any(${each.values})`).join("\n         ")}
       order by x.run desc
       limit $3`;
  const found = (column: string, values: string) => `(
       select f.run
       from ${walkEach({ value: values }, walk(column), "f")}
       order by f.run desc
       limit $3
     ) f
     cross join lateral (
       select * from reconciliation x where x.book_id = $1 and x.run = f.run offset 0
     ) r`;
  return sql<RunRow>(
    `${planEachTime} ${walked === undefined ? runs : runsOf(found(walked.column, walked.values))}
     where r.book_id = $1
       and r.run < $2::bigint
     order by r.run desc
     limit $3`,
    params,
  );
}
