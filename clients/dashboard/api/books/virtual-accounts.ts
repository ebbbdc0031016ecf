import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  closeVirtualAccount,
  createVirtualAccount,
  disableVirtualAccount,
  enableVirtualAccount,
  getVirtualAccount,
  listLedgerAccounts,
  listVirtualAccounts,
  updateVirtualAccount,
} from "../../../typescript/sdk.gen.ts";
import type { VirtualAccountCreate, VirtualAccountPage } from "../../../typescript/types.gen.ts";
import type { VirtualAccountFilters } from "../../routes/virtual-accounts/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useWrite } from "../client/write.ts";

const pageSize = 50;
/** The stream does not report changes to these, so the page reads them again this often. */
const pollMs = 10_000;
const none: VirtualAccountPage = { data: [], hasMore: false, nextCursor: null };

const actions = {
  disable: disableVirtualAccount,
  enable: enableVirtualAccount,
  close: closeVirtualAccount,
} as const;
export type Action = keyof typeof actions;

/** One page of virtual accounts, newest first. The page before stays until the next has come. */
export function useVirtualAccounts(filters: VirtualAccountFilters) {
  return useQuery({
    queryKey: ["virtual-accounts", filters],
    queryFn: () => readPage(filters),
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}

/** The API filters by the ledger account's id; a person types its name. */
async function readPage({ ledgerAccountName, externalId, pages = [] }: VirtualAccountFilters) {
  const cursor = pages.at(-1);
  const ids = ledgerAccountName === undefined ? undefined : await idsOf(ledgerAccountName);
  if (ids?.length === 0) return none;
  const query = {
    limit: pageSize,
    ...(ids === undefined ? {} : { ledgerAccountId: ids }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return bodyOf(listVirtualAccounts({ query }));
}

/** One account at most: names are unique in the book. */
async function idsOf(ledgerAccountName: string): Promise<string[]> {
  const { data } = await bodyOf(listLedgerAccounts({ query: { name: ledgerAccountName } }));
  return data.map(({ id }) => id);
}

export function useVirtualAccount(id: string) {
  return useQuery({
    queryKey: ["virtual-account", id],
    queryFn: () => bodyOf(getVirtualAccount({ path: { id } })),
    refetchInterval: pollMs,
  });
}

export function useCreateVirtualAccount() {
  return useWrite("create-virtual-account", (body: VirtualAccountCreate, headers) =>
    bodyOf(createVirtualAccount({ body, headers })),
  );
}

interface Description {
  /** Null removes it. */
  readonly description: string | null;
  /** The version of the virtual account that the form shows. */
  readonly updatedAt: string;
}

export function useDescribeVirtualAccount(id: string) {
  return useWrite(`describe-virtual-account:${id}`, ({ description }: Description, headers) =>
    bodyOf(updateVirtualAccount({ path: { id }, body: { description }, headers })),
  );
}

/** The input is the `updatedAt` that the form shows, so a request after a later change counts as another one. */
export function useChangeVirtualAccount(id: string, action: Action) {
  return useWrite(`${action}-virtual-account:${id}`, (_updatedAt: string, headers) =>
    bodyOf(actions[action]({ path: { id }, body: {}, headers })),
  );
}
