import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createPerson, listAuditLog, listPeople, updatePerson } from "../../../typescript/sdk.gen.ts";
import type { Person, PersonCreate, PersonCreated, PersonPatch } from "../../../typescript/types.gen.ts";
import type { AuditFilters } from "../../routes/audit-log/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";

const pageSize = 50;
const pageOf = (pages: readonly string[]) => {
  const cursor = pages.at(-1);
  return { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
};

/** One page of the tenant's people, newest first. */
export function usePeople(pages: readonly string[]) {
  const query = pageOf(pages);
  return useQuery({
    queryKey: ["people", query],
    queryFn: () => bodyOf(listPeople({ query })),
    placeholderData: keepPreviousData,
  });
}

/** One page of what was done, newest first. */
export function useAuditLog({ pages = [], actor, objectId }: AuditFilters) {
  const query = {
    ...pageOf(pages),
    ...(actor === undefined ? {} : { actor }),
    ...(objectId === undefined ? {} : { objectId }),
  };
  return useQuery({
    queryKey: ["audit-log", query],
    queryFn: () => bodyOf(listAuditLog({ query })),
    placeholderData: keepPreviousData,
  });
}

export function useCreatePerson(done: (created: PersonCreated) => void) {
  return useConfirmed({
    about: (body: PersonCreate) => ({ operation: "createPerson", body }),
    send: (body, headers) => bodyOf(createPerson({ body, headers })),
    done,
  });
}

export function useChangePerson(id: string, done: (person: Person, patch: PersonPatch) => void) {
  return useConfirmed({
    about: (body: PersonPatch) => ({ operation: "updatePerson", ids: [id], body }),
    send: (body, headers) => bodyOf(updatePerson({ path: { id }, body, headers })),
    done,
  });
}
