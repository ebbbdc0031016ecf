import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import {
  amendObligation,
  createObligation,
  fixObligation,
  getObligation,
  listObligations,
  remitObligation,
  updateObligation,
} from "../../../typescript/sdk.gen.ts";
import type {
  Obligation,
  ObligationAmend,
  ObligationCreate,
  ObligationPatch,
  ObligationRemit,
} from "../../../typescript/types.gen.ts";
import type { ObligationFilters } from "../../routes/obligations/filters.ts";
import { bodyOf } from "../client/call.ts";
import { ifShown } from "../client/if-shown.ts";
import { useWrite } from "../client/write.ts";

const pageSize = 50;

/** One page of obligations, newest first. The page before stays until the next has come. */
export function useObligations({ pages = [], status, ...filters }: ObligationFilters) {
  const cursor = pages.at(-1);
  const query = {
    ...filters,
    limit: pageSize,
    ...(status === undefined ? {} : { status: [...status] }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return useQuery({
    queryKey: ["obligations", query],
    queryFn: () => bodyOf(listObligations({ query })),
    placeholderData: keepPreviousData,
  });
}

export function obligationQuery(id: string) {
  return queryOptions({
    queryKey: ["obligation", id],
    queryFn: () => bodyOf(getObligation({ path: { id } })),
  });
}

/** One obligation with its bookings and payments. */
export function useObligation(id: string) {
  return useQuery(obligationQuery(id));
}

export function useCreateObligation() {
  return useWrite("create-obligation", (body: ObligationCreate, headers) =>
    bodyOf(createObligation({ body, headers })),
  );
}

/** An obligation as it was shown. Once it has changed, a change of it is another request. */
type Shown = Pick<Obligation, "version">;

interface Update extends Shown {
  readonly patch: ObligationPatch;
}

export function useUpdateObligation(id: string) {
  return useWrite(`update-obligation:${id}`, ({ patch, version }: Update, headers) =>
    bodyOf(updateObligation({ path: { id }, body: patch, headers: { ...headers, ...ifShown({ version }) } })),
  );
}

/** Books the sum of the lines that were shown. */
export function useFixObligation(id: string) {
  return useWrite(`fix-obligation:${id}`, ({ version }: Shown, headers) =>
    bodyOf(fixObligation({ path: { id }, body: {}, headers: { ...headers, ...ifShown({ version }) } })),
  );
}

interface Amendment extends Shown {
  readonly body: ObligationAmend;
}

export function useAmendObligation(id: string) {
  return useWrite(`amend-obligation:${id}`, ({ body, version }: Amendment, headers) =>
    bodyOf(amendObligation({ path: { id }, body, headers: { ...headers, ...ifShown({ version }) } })),
  );
}

interface Remittance extends Shown {
  readonly body: ObligationRemit;
}

/** Makes the order that pays the amount that was shown. */
export function useRemitObligation(id: string) {
  return useWrite(`remit-obligation:${id}`, ({ body, version }: Remittance, headers) =>
    bodyOf(remitObligation({ path: { id }, body, headers: { ...headers, ...ifShown({ version }) } })),
  );
}
