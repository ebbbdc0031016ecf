import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import {
  acceptProposedChange,
  archiveCounterparty,
  createCounterparty,
  dismissProposedChange,
  getCounterparty,
  listCounterparties,
  listProposedChanges,
  replaceCounterparty,
  restoreCounterparty,
  verifyCounterparty,
} from "../../../typescript/sdk.gen.ts";
import type { Counterparty, CounterpartyBody } from "../../../typescript/types.gen.ts";
import type { CounterpartyFilters } from "../../routes/counterparties/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";
import { etagOf, ifShown } from "../client/if-shown.ts";
import { useWrite } from "../client/write.ts";

const pageSize = 50;
const maxSuggestions = 100;
const maxChanges = 100;
/** The stream does not report changes to these, so the page reads them again this often. */
const pollMs = 10_000;

/** One page of counterparties, newest first. The previous page stays until the next one has come. */
export function useCounterpartyPage({ pages = [], show, ...filters }: CounterpartyFilters) {
  const cursor = pages.at(-1);
  const query = {
    ...filters,
    limit: pageSize,
    ...(show === "archived" ? { archived: true } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return useQuery({
    queryKey: ["counterparties", "page", query],
    queryFn: () => bodyOf(listCounterparties({ query })),
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}

/** The newest counterparties that no one has archived, to choose one from. */
export function useNewestCounterparties() {
  return useQuery({
    queryKey: ["counterparties"],
    queryFn: () => bodyOf(listCounterparties({ query: { limit: maxSuggestions } })),
  });
}

export const counterpartyQuery = (id: string) =>
  queryOptions({ queryKey: ["counterparty", id], queryFn: () => bodyOf(getCounterparty({ path: { id } })) });

export function useCounterparty(id: string | null) {
  return useQuery({ ...counterpartyQuery(id ?? ""), enabled: id !== null });
}

/** The same, read again while it is shown, because somebody decides on what it says. */
export function useCurrentCounterparty(id: string) {
  return useQuery({ ...counterpartyQuery(id), refetchInterval: pollMs });
}

/** What its bank corrects, newest first. */
export function useProposedChanges(id: string) {
  return useQuery({
    queryKey: ["proposed-changes", id],
    queryFn: () => bodyOf(listProposedChanges({ path: { id }, query: { limit: maxChanges } })),
    refetchInterval: pollMs,
  });
}

export function useCreateCounterparty() {
  return useWrite("create-counterparty", (body: CounterpartyBody, headers) =>
    bodyOf(createCounterparty({ body, headers })),
  );
}

interface Replacement {
  readonly shown: Counterparty;
  readonly body: CounterpartyBody;
}

export function useReplaceCounterparty(id: string) {
  return useWrite(`replace-counterparty:${id}`, ({ shown, body }: Replacement, headers) =>
    bodyOf(replaceCounterparty({ path: { id }, body, headers: { ...headers, ...ifShown(shown) } })),
  );
}

const archiveActions = { archive: archiveCounterparty, restore: restoreCounterparty } as const;
export type ArchiveAction = keyof typeof archiveActions;

export function useArchiveOrRestore(id: string, action: ArchiveAction) {
  return useWrite(`${action}-counterparty:${id}`, (shown: Counterparty, headers) =>
    bodyOf(archiveActions[action]({ path: { id }, body: {}, headers: { ...headers, ...ifShown(shown) } })),
  );
}

/** What is verified is what was shown. */
export function useVerifyCounterparty(id: string, done: (verified: Counterparty) => void) {
  return useConfirmed({
    about: (shown: Counterparty) => ({
      operation: "verifyCounterparty",
      ids: [id],
      ifMatch: etagOf(shown),
      body: {},
    }),
    send: (shown, headers) =>
      bodyOf(verifyCounterparty({ path: { id }, body: {}, headers: { ...headers, ...ifShown(shown) } })),
    done,
  });
}

/** Gives the counterparty that was shown the corrected details. */
export function useAcceptChange(path: { id: string; changeId: string }, done: () => void) {
  return useConfirmed({
    about: (shown: Counterparty) => ({
      operation: "acceptProposedChange",
      ids: [path.changeId],
      ifMatch: etagOf(shown),
      body: {},
    }),
    send: (shown, headers) =>
      bodyOf(acceptProposedChange({ path, body: {}, headers: { ...headers, ...ifShown(shown) } })),
    done,
  });
}

export function useDismissChange(path: { id: string; changeId: string }) {
  return useWrite(`dismiss-change:${path.changeId}`, (_shown: Counterparty, headers) =>
    bodyOf(dismissProposedChange({ path, body: {}, headers })),
  );
}
