import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createReconciliation, getReconciliation, listReconciliations } from "../../../typescript/sdk.gen.ts";
import type { ReconciliationCreate } from "../../../typescript/types.gen.ts";
import type { RunFilters } from "../../routes/reconciliation/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useWrite } from "../client/write.ts";

const pageSize = 50;

/** One page of runs, newest first. The page before stays until the next has come. */
export function useRuns({ pages = [], ...filters }: RunFilters) {
  const cursor = pages.at(-1);
  const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
  return useQuery({
    queryKey: ["reconciliations", query],
    queryFn: () => bodyOf(listReconciliations({ query })),
    placeholderData: keepPreviousData,
  });
}

/** A run with the items that it left open. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ["reconciliation", id],
    queryFn: () => bodyOf(getReconciliation({ path: { id } })),
  });
}

export function useReconcile() {
  return useWrite("reconcile", (body: ReconciliationCreate, headers) =>
    bodyOf(createReconciliation({ body, headers })),
  );
}
