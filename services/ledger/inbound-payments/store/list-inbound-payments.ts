import {
  type InboundPaymentStatus,
  inboundPaymentStatus,
} from "../../../../contracts/http/ledger/inbound-payments.ts";
import {
  type BookId,
  lowestUuidAt,
  type LedgerAccountId,
  uuidOf,
  type VirtualAccountId,
} from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import { walkEach } from "../../../platform/persistence/params.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { bookIndexFilter } from "../../posting/store/tenant-snapshot.ts";
import { inboundPaymentColumns, type InboundPaymentRow } from "./inbound-payments.ts";

export interface InboundPaymentFilter {
  readonly statuses: readonly InboundPaymentStatus[] | undefined;
  readonly virtualAccountIds: readonly VirtualAccountId[] | undefined;
  readonly ledgerAccountIds: readonly LedgerAccountId[] | undefined;
  readonly bankReferences: readonly string[] | undefined;
  readonly createdFrom: string | undefined;
  readonly createdBefore: string | undefined;
}

const allStatuses: readonly InboundPaymentStatus[] = inboundPaymentStatus.options;

/**
 * A book's inbound payments, newest first, `limit + 1` of them. Without a filter it reads the primary key backwards.
 * With a filter it reads one range of the filter's index per status and account, and merges them. A reference has at
 * most one payment.
 */
export function listInboundPayments(
  sql: Sql,
  book: BookId,
  filter: InboundPaymentFilter,
  page: { readonly after: string | null; readonly limit: number },
): Promise<InboundPaymentRow[]> {
  const below = [page.after ?? aboveAllUuids, ...uuidsAt(filter.createdBefore)].sort()[0];
  const from = uuidsAt(filter.createdFrom)[0] ?? belowAllUuids;
  const params: unknown[] = [uuidOf(book), below, from, page.limit + 1];
  const add = (value: unknown) => `$${params.push(value)}`;
  return sql<InboundPaymentRow>(
    `select ${inboundPaymentColumns}
     from ${source(filter, add)} p
     where p.book_id = $1
       and p.inbound_payment_id < $2
       and p.inbound_payment_id >= $3
     order by p.inbound_payment_id desc
     limit $4`,
    params,
  );
}

/** The newest with a proposed assignment, along inbound_payment_proposed. */
export function listProposedAssignments(sql: Sql, book: string, limit: number): Promise<InboundPaymentRow[]> {
  return sql<InboundPaymentRow>(
    `select ${inboundPaymentColumns}
     from inbound_payment p
     where p.book_id = $1
       and p.status = 'Suspended'
       and p.proposed_by is not null
     order by p.inbound_payment_id desc
     limit $2`,
    [book, limit],
  );
}

/** The newest of exactly this amount, along inbound_payment_by_amount. */
export function findByAmount(
  sql: Sql,
  book: BookId,
  amountCents: number,
  limit: number,
): Promise<InboundPaymentRow[]> {
  return sql<InboundPaymentRow>(
    `select ${inboundPaymentColumns}
     from inbound_payment p
     where p.amount_cents = $2
       and p.book_id = $1
     order by p.inbound_payment_id desc
     limit $3`,
    [uuidOf(book), amountCents, limit],
  );
}

function source(filter: InboundPaymentFilter, add: (value: unknown) => string): string {
  const { virtualAccountIds, ledgerAccountIds, bankReferences, statuses } = filter;
  const among = (column: string, type: string, values: readonly string[] | undefined) =>
    values === undefined ? "" : `and x.${column} = any(${add(values)}::${type}[])`;
  const amongLedgerAccounts = () => among("ledger_account_id", "uuid", ledgerAccountIds?.map(uuidOf));
  if (bankReferences !== undefined) {
    return `(
       select x.*
       from (
         select * from inbound_payment r
         where r.bank_reference = any(${add(bankReferences)}::text[])
           and ${bookIndexFilter("r")}
         offset 0
       ) x
       where true
         ${among("status", "text", statuses)}
         ${among("virtual_account_id", "uuid", virtualAccountIds?.map(uuidOf))}
         ${amongLedgerAccounts()}
     )`;
  }
  if (virtualAccountIds !== undefined) {
    return walked(statuses, "virtual_account_id", virtualAccountIds, amongLedgerAccounts(), add);
  }
  if (ledgerAccountIds !== undefined) return walked(statuses, "ledger_account_id", ledgerAccountIds, "", add);
  return statuses === undefined ? "inbound_payment" : walked(statuses, null, [null], "", add);
}

/** The newest payments of each status and account. */
function walked(
  statuses: readonly InboundPaymentStatus[] = allStatuses,
  column: string | null,
  accounts: readonly (LedgerAccountId | VirtualAccountId | null)[],
  also: string,
  add: (value: unknown) => string,
): string {
  const ranges = accounts.flatMap((account) => statuses.map((status) => ({ account, status })));
  const values = {
    status: `${add(ranges.map(({ status }) => status))}::text[]`,
    ...(column === null
      ? {}
      : { account: `${add(ranges.map(({ account }) => account && uuidOf(account)))}::uuid[]` }),
  };
  const walk = `
         select x.inbound_payment_id
         from inbound_payment x
         where x.book_id = $1
           and x.status = w.status
           and x.inbound_payment_id < $2
           and x.inbound_payment_id >= $3
           ${column === null ? "" : `and x.${column} = w.account`}
           ${also}
         order by x.inbound_payment_id desc
         limit $4`;
  return `(
       select y.*
       from (
         select f.inbound_payment_id
         from ${walkEach(values, walk, "f")}
         order by f.inbound_payment_id desc
         limit $4
       ) f
       cross join lateral (
         select * from inbound_payment z
         where z.book_id = $1 and z.inbound_payment_id = f.inbound_payment_id
         offset 0
       ) y
     )`;
}

function uuidsAt(time: string | undefined): string[] {
  return time === undefined ? [] : [lowestUuidAt(new Date(time))];
}
