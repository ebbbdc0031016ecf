/** `npm run orders -- stuck`: orders that the ledger or their rail does not answer. */
import { idOf, type Mode } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { inDatabase } from "../command-line/connections.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { phasesThatNeedAnswers, timeoutsOfPhase, waitInWords, waitOf, type WaitingRow } from "./waiting.ts";

const maxListed = 1_000;

interface StuckRow extends WaitingRow {
  readonly id: string;
  readonly book_id: string;
  readonly mode: Mode;
  readonly deferred_events: number;
}

/**
 * Orders that nothing has changed since `before`, although their phase has timed out; Live orders first. An edit by the
 * tenant or a notice of change counts as a change. Most orders that wait are ACH payments, which settle after a day or
 * two: their phase has not timed out yet. Two partial indexes find the orders that wait.
 */
function readStuck(sql: Sql, before: Date): Promise<StuckRow[]> {
  return sql<StuckRow>(
    `select id, book_id, mode, rail, phase, updated_at, due_at, due_at_in_book, ${timeoutsOfPhase} as timeouts,
       (select count(*)::int from orders.deferred_event e where e.book_id = o.book_id and e.order_id = o.id)
         as deferred_events
     from orders.payment_order o
     where (due_at is not null or due_at_in_book is not null)
       and phase = any ($1)
       and updated_at < $2
       and ${timeoutsOfPhase} > 0
     order by mode, updated_at
     limit $3`,
    [phasesThatNeedAnswers, before, maxListed],
  );
}

function hoursOf(given: Given): number {
  const text = given.option("hours") ?? "1";
  if (/^\d{1,5}(\.\d{1,3})?$/.test(text)) return Number(text);
  throw new Misuse("--hours must be a number of hours, such as 1 or 0.5");
}

async function stuck(sql: Sql, given: Given): Promise<void> {
  const hours = hoursOf(given);
  const rows = await readStuck(sql, new Date(Date.now() - hours * 3_600_000));
  if (rows.length === 0)
    given.note(`no order is stuck: none has waited for an answer for ${String(hours)} h`);
  for (const row of rows) {
    const wait = waitOf(row);
    const { mode, phase, deferred_events: deferredEvents } = row;
    const [id, book] = [idOf("po", row.id), idOf("book", row.book_id)];
    given.print(
      { id, book, mode, phase, ...wait, deferredEvents },
      `${id}  ${mode}  ${book}`,
      `  ${phase}: ${wait === null ? "" : waitInWords(wait)}`,
      ...(deferredEvents === 0 ? [] : [`  ${String(deferredEvents)} of its events are deferred`]),
    );
  }
  if (rows.length === maxListed) given.note(`only ${String(maxListed)} are listed`);
}

export const stuckCommand: Tool["commands"] = {
  stuck: {
    about:
      "list the orders that the ledger or their rail has not answered for an hour (--hours sets\nanother time), although it was asked again; Live orders first, then those that wait longest",
    options: { hours: { value: "<number>" } },
    check: hoursOf,
    run: (given) => inDatabase((sql) => stuck(sql, given)),
  },
};
