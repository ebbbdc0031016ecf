import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listRequests, summarizeRequests } from "../../../typescript/sdk.gen.ts";
import type { RequestFilters } from "../../routes/requests/filters.ts";
import { bodyOf } from "../client/call.ts";

const pageSize = 50;
/** The stream does not report refused requests, and the gateway stores them every two seconds. */
const refetchInterval = 5_000;

/** One page of refused requests, newest first. */
export function useRequests({ pages = [], ...filters }: RequestFilters) {
  const cursor = pages.at(-1);
  const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
  return useQuery({
    queryKey: ["requests", query],
    queryFn: () => bodyOf(listRequests({ query })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
}

/** The refused requests of the last seven days by code. */
export function useRefusals() {
  return useQuery({
    queryKey: ["refusals"],
    queryFn: () => bodyOf(summarizeRequests()),
    refetchInterval,
  });
}
