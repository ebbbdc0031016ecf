import { type PagesOnly, readPages, readText } from "../../parts/page/read-search.ts";

/** Which entries of the audit log are listed, as it stands in the address. */
export interface AuditFilters extends PagesOnly {
  readonly actor?: string | undefined;
  readonly objectId?: string | undefined;
}

export function readAuditFilters({ actor, objectId, ...search }: Record<string, unknown>): AuditFilters {
  return {
    actor: readText(actor),
    objectId: readText(objectId),
    ...readPages(search),
  };
}
