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

export function useUpdateObligation(id: string) {
  return useWrite(`update-obligation:${id}`, (body: ObligationPatch, headers) =>
    bodyOf(updateObligation({ path: { id }, body, headers })),
  );
}

/** Books the sum of the lines. With other lines it is another request. */
export function useFixObligation(id: string) {
  return useWrite(`fix-obligation:${id}`, (_shown: ObligationAmend["lines"], headers) =>
    bodyOf(fixObligation({ path: { id }, body: {}, headers })),
  );
}

export function useAmendObligation(id: string) {
  return useWrite(`amend-obligation:${id}`, (body: ObligationAmend, headers) =>
    bodyOf(amendObligation({ path: { id }, body, headers })),
  );
}

/** Makes the order that pays what is outstanding. Once the obligation has changed, it is another request. */
export function useRemitObligation(id: string) {
  return useWrite(`remit-obligation:${id}`, ({ body }: Remittance, headers) =>
    bodyOf(remitObligation({ path: { id }, body, headers })),
  );
}

export interface Remittance extends Pick<Obligation, "updatedAt"> {
  readonly body: ObligationRemit;
}
