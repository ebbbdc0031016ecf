import type {
  Obligation as ObligationView,
  ObligationQuery,
  ObligationWithHistory,
} from "../../../../contracts/http/ledger/obligations.ts";
import { idOf } from "../../../../contracts/ids/ids.ts";
import { safeCents } from "../../../../contracts/money.ts";
import { spellingsOf } from "../../../../contracts/text/text.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { liabilityOf, type ObligationLine } from "../../book/obligation.ts";
import type { ObligationEvent } from "../../book/obligation-history.ts";
import { bookIndexFilter } from "../../posting/store/tenant-snapshot.ts";
import { obligationColumns, type ObligationRow, toObligation } from "../../posting/store/obligations.ts";

export interface ObligationPageRow extends ObligationRow {
  outstanding_cents: bigint;
}

/** Events are read as one JSON column: their numbers are cents and sequences, all safe integers. */
interface EventInJson {
  kind: ObligationEvent["kind"];
  order_id: string | null;
  amount_cents: number;
  transaction_id: string | null;
  lines: ObligationLine[] | null;
  reason: string | null;
  actor: string;
  at: string;
}
export interface ObligationWithEvents extends ObligationPageRow {
  history: EventInJson[] | null;
}

/**
 * The outstanding amount is the balance of the liability account, which has the obligation's own uuid. An Open
 * obligation has no such account.
 */
const outstanding = `coalesce((
    select b.posted_credit - b.posted_debit
    from account_balance b
    where b.book_id = o.book_id
      and b.account_id = o.obligation_id
      and o.status <> 'Open'
  ), 0) as outstanding_cents`;

/** One obligation with its events, oldest first, from one snapshot. */
export async function findObligation(
  sql: Sql,
  book: string,
  id: string,
): Promise<ObligationWithEvents | undefined> {
  const [row] = await sql<ObligationWithEvents>(
    `select ${obligationColumns}, ${outstanding}, (
       select jsonb_agg(to_jsonb(s) order by s.position)
       from obligation_event s
       where s.book_id = o.book_id
         and s.obligation_id = o.obligation_id
     ) as history
     from obligation o
     where o.book_id = $1
       and o.obligation_id = $2`,
    [book, id],
  );
  return row;
}

type Filters = Pick<ObligationQuery, "status" | "type" | "reference" | "limit">;

/**
 * A book's obligations, newest first, `limit + 1` of them. The statement contains only the given filters. It walks down
 * the index of one of them, once per value.
 */
export function listObligations(
  sql: Sql,
  book: string,
  { status, type, reference, limit }: Filters,
  after: string | null,
): Promise<ObligationPageRow[]> {
  const params: unknown[] = [book, after ?? aboveAllUuids, limit + 1];
  const [walked, ...others] = [
    { column: "reference", values: reference?.flatMap(spellingsOf) },
    { column: "status", values: status },
    { column: "type", values: type },
  ].flatMap(({ column, values }) =>
    values === undefined ? [] : [{ column, values: `$${String(params.push([...new Set(values)]))}::text[]` }],
  );
  const ofPage = "o.book_id = $1 and o.obligation_id < $2";
  const walk = (column: string) => `
       select *
       from obligation o
       where ${ofPage}
         and o.${column} = w.value
         and ${bookIndexFilter("o")}
         ${others.map((each) => `and o.${each.column} = any(${each.values})`).join("\n         ")}
       order by o.obligation_id desc
       limit $3`;
  return sql<ObligationPageRow>(
    `select ${obligationColumns}, ${outstanding}
     from ${walked === undefined ? "obligation o" : walkEach({ value: walked.values }, walk(walked.column), "o")}
     where ${ofPage}
     order by o.obligation_id desc
     limit $3`,
    params,
  );
}

export function obligationView(row: ObligationPageRow): ObligationView {
  const obligation = toObligation(row);
  return {
    id: obligation.id,
    type: obligation.type,
    status: obligation.status,
    reference: obligation.reference,
    jurisdiction: obligation.jurisdiction,
    period: obligation.period,
    payeeCounterpartyId: obligation.payeeCounterpartyId,
    lines: [...obligation.lines],
    fixedCents: obligation.fixedCents,
    outstandingCents: safeCents(row.outstanding_cents),
    paymentOrderId: obligation.paymentOrderId,
    liabilityLedgerAccountId: obligation.status === "Open" ? null : liabilityOf(obligation.id),
    createdBy: obligation.createdBy,
    version: obligation.version,
    createdAt: obligation.createdAt.toISOString(),
    updatedAt: obligation.updatedAt.toISOString(),
  };
}

export function obligationWithHistory(row: ObligationWithEvents): ObligationWithHistory {
  const events = row.history ?? [];
  return {
    ...obligationView(row),
    accruals: events
      .filter(({ kind }) => kind === "Fixed" || kind === "Amended")
      .map((event) => ({
        amountCents: event.amount_cents,
        ledgerTransactionId: event.transaction_id === null ? null : idOf("lt", event.transaction_id),
        lines: event.lines ?? [],
        at: new Date(event.at).toISOString(),
        actor: event.actor,
      })),
    remittances: events.flatMap(({ kind, order_id, amount_cents, reason, at }) =>
      kind === "Fixed" || kind === "Amended" || order_id === null
        ? []
        : [
            {
              paymentOrderId: idOf("po", order_id),
              amountCents: amount_cents,
              event: kind,
              reason,
              at: new Date(at).toISOString(),
            },
          ],
    ),
  };
}
