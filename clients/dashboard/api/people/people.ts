import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createPerson,
  getPerson,
  listAuditLog,
  listPeople,
  updatePerson,
} from "../../../typescript/sdk.gen.ts";
import type { Person, PersonCreate, PersonCreated, PersonPatch } from "../../../typescript/types.gen.ts";
import type { AuditFilters } from "../../routes/audit-log/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";
import { etagOf } from "../client/if-shown.ts";

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

const personKey = (id: string) => ["person", id] as const;

/** The person of a row that was opened, read again while the person is shown. */
export function usePerson(opened: Person): Person {
  return useQuery({
    queryKey: personKey(opened.id),
    queryFn: () => bodyOf(getPerson({ path: { id: opened.id } })),
    initialData: opened,
    // What was read when the person was opened before is older than the row.
    gcTime: 0,
  }).data;
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

export interface PersonChange {
  readonly patch: PersonPatch;
  /** The version that the admin has seen; undefined for what is done whatever another admin has changed. */
  readonly version: number | undefined;
}

/** The header If-Match of a change. */
export const ifMatchOf = ({ version }: PersonChange) =>
  version === undefined ? undefined : etagOf({ version });

export function useChangePerson(id: string, done: (person: Person, patch: PersonPatch) => void) {
  const client = useQueryClient();
  return useConfirmed({
    about: (change: PersonChange) => {
      const ifMatch = ifMatchOf(change);
      return {
        operation: "updatePerson",
        ids: [id],
        body: change.patch,
        ...(ifMatch === undefined ? {} : { ifMatch }),
      };
    },
    send: (change, confirmed) => {
      const ifMatch = ifMatchOf(change);
      const headers = { ...confirmed, ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }) };
      return bodyOf(updatePerson({ path: { id }, body: change.patch, headers }));
    },
    done: (person, { patch }) => {
      client.setQueryData(personKey(id), person);
      done(person, patch);
    },
  });
}
