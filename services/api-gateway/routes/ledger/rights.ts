import type { HttpContext } from "../../operation/http-context.ts";

/** What the caller may do with a proposal: the ledger decides by it. */
export function rightsOf({ known: { scopes } }: HttpContext): { mayApprove: boolean; mayWrite: boolean } {
  return { mayApprove: scopes.has("orders:approve"), mayWrite: scopes.has("ledger:write") };
}
