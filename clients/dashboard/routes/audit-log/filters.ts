import { type PagesOnly, readPages } from "../pages.ts";

/** Which entries of the audit log are listed, as it stands in the address. */
export interface AuditFilters extends PagesOnly {
  readonly actor?: string | undefined;
  readonly objectId?: string | undefined;
}

export function readAuditFilters({ actor, objectId, ...search }: Record<string, unknown>): AuditFilters {
  return {
    // A name of digits is a number in the address.
    ...(typeof actor === "string" || typeof actor === "number" ? { actor: String(actor) } : {}),
    ...(typeof objectId === "string" ? { objectId } : {}),
    ...readPages(search),
  };
}

export function isFiltered({ actor, objectId }: AuditFilters): boolean {
  return actor !== undefined || objectId !== undefined;
}
