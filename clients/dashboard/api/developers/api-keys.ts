import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "../../../typescript/sdk.gen.ts";
import type {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyRevoked,
  ApiKeyStatus,
} from "../../../typescript/types.gen.ts";
import type { KeyFilters } from "../../routes/api-keys/filters.ts";
import { bodyOf } from "../client/call.ts";
import { useConfirmed } from "../client/confirmed.ts";

const pageSize = 50;
const statuses: Record<NonNullable<KeyFilters["show"]>, ApiKeyStatus[]> = {
  ended: ["Expired", "Revoked", "Denied"],
  all: [],
};

/** One page of keys, newest first: those that work or wait, unless the filter says otherwise. */
export function useApiKeys({ show, pages = [] }: KeyFilters) {
  const cursor = pages.at(-1);
  const status = show === undefined ? (["Active", "Pending"] satisfies ApiKeyStatus[]) : statuses[show];
  const query = {
    limit: pageSize,
    ...(status.length === 0 ? {} : { status }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return useQuery({
    queryKey: ["api-keys", query],
    queryFn: () => bodyOf(listApiKeys({ query })),
    placeholderData: keepPreviousData,
  });
}

export function useCreateApiKey(done: (created: ApiKeyCreated) => void) {
  return useConfirmed({
    about: (body: ApiKeyCreate) => ({ operation: "createApiKey", body }),
    send: (body, headers) => bodyOf(createApiKey({ body, headers })),
    done,
  });
}

export function useRotateApiKey(id: string, done: (created: ApiKeyCreated) => void) {
  return useConfirmed({
    about: (body: { overlapHours: number }) => ({ operation: "rotateApiKey", ids: [id], body }),
    send: (body, headers) => bodyOf(rotateApiKey({ path: { id }, body, headers })),
    done,
  });
}

export function useRevokeApiKey(id: string, done: (revoked: ApiKeyRevoked) => void) {
  return useConfirmed({
    about: (body: { includeDescendants: boolean }) => ({ operation: "revokeApiKey", ids: [id], body }),
    send: (body, headers) => bodyOf(revokeApiKey({ path: { id }, body, headers })),
    done,
  });
}
