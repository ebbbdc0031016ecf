import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import {
  getLedgerAccount,
  getLedgerAccountBalanceHistory,
  listLedgerAccountJournals,
  listLedgerAccounts,
} from "../../../typescript/sdk.gen.ts";
import type { AccountFilters, AccountView, Range } from "../../routes/ledger/filters.ts";
import { bodyOf } from "../client/call.ts";

const pageSize = 50;
const dayMs = 86_400_000;

/** How far back the history goes, and into how many equal intervals it is cut. */
const ranges: Record<Range, { readonly ms: number; readonly points: number }> = {
  hour: { ms: 3_600_000, points: 120 },
  day: { ms: dayMs, points: 144 },
  month: { ms: 30 * dayMs, points: 120 },
  year: { ms: 365 * dayMs, points: 365 },
};

/** One page of accounts. The page before stays until the next has come. */
export function useAccounts({ pages = [], ...filters }: AccountFilters) {
  const cursor = pages.at(-1);
  const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
  return useQuery({
    queryKey: ["ledger-accounts", query],
    queryFn: () => bodyOf(listLedgerAccounts({ query })),
    placeholderData: keepPreviousData,
  });
}

export function accountQuery(id: string, asOf?: string) {
  return queryOptions({
    queryKey: ["ledger-account", id, asOf],
    queryFn: () => bodyOf(getLedgerAccount({ path: { id }, query: asOf === undefined ? {} : { asOf } })),
  });
}

/** The account with its balances now, or as they were recorded at a time. */
export function useAccountAsOf(id: string, asOf: string | undefined) {
  return useQuery(accountQuery(id, asOf));
}

/** One page of what journals did to an account, newest first. */
export function useJournals(id: string, { pages = [] }: AccountView) {
  const cursor = pages.at(-1);
  const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
  return useQuery({
    queryKey: ["ledger-account-journals", id, query],
    queryFn: () => bodyOf(listLedgerAccountJournals({ path: { id }, query })),
    placeholderData: keepPreviousData,
  });
}

export function useBalanceHistory(id: string, range: Range) {
  return useQuery({
    queryKey: ["balance-history", id, range],
    queryFn: () => {
      const { ms, points } = ranges[range];
      const query = { from: new Date(Date.now() - ms).toISOString(), points };
      return bodyOf(getLedgerAccountBalanceHistory({ path: { id }, query }));
    },
    placeholderData: keepPreviousData,
  });
}
