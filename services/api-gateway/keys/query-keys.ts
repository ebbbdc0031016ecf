import { Refusal } from "../../../contracts/errors.ts";
import type {
  ApiKey,
  ApiKeyProposal,
  ApiKeyProposalQuery,
  ApiKeyQuery,
} from "../../../contracts/http/api-keys.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { type ApiKeyId, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { TenantMode } from "./store/api-keys.ts";
import { readKey, listKeys } from "./store/list-keys.ts";
import { listProposals } from "./store/list-proposals.ts";

/** The same text for a key of another book and for one that never existed. */
export function keyNotFound(): Refusal {
  return new Refusal("not_found", "Check the id: there is no API key of this id in this book.");
}

/** Refusals: `not_found` if the path holds no key id. */
export function parseKeyId(path: string): ApiKeyId {
  if (!isId("key", path)) throw keyNotFound();
  return path;
}

/** A key of the book, without the key itself. Refusals: `not_found`. */
export async function findKey(sql: Sql, book: TenantMode, id: ApiKeyId): Promise<ApiKey> {
  const found = await readKey(sql, book, id);
  if (found === undefined) throw keyNotFound();
  return found;
}

/** Keys of the book, newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
export async function findKeys(sql: Sql, book: TenantMode, query: ApiKeyQuery): Promise<Page<ApiKey>> {
  const asked = { ...query, list: "api-keys" };
  const rows = await listKeys(sql, book, query, uuidAfter(asked));
  return pageOfRows(
    rows,
    query.limit,
    (key) => key,
    ({ id }) => uuidOf(id),
    asked,
  );
}

/** Proposals of keys of the book, newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
export async function findKeyProposals(
  sql: Sql,
  book: TenantMode,
  query: ApiKeyProposalQuery,
): Promise<Page<ApiKeyProposal>> {
  const asked = { ...query, list: "api-key-proposals" };
  const rows = await listProposals(sql, book, query, uuidAfter(asked));
  return pageOfRows(
    rows,
    query.limit,
    (proposal) => proposal,
    ({ id }) => uuidOf(id),
    asked,
  );
}
