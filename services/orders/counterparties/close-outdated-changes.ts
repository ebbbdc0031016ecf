import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Counterparty } from "../order/counterparty.ts";
import { afterEdit, type Decider } from "./domain/proposed-change.ts";
import { readOpenChanges, saveChange } from "./store/proposed-changes.ts";

/** Closes the open proposals that correct what an edit has changed. The caller has locked the counterparty. */
export async function closeOutdatedChanges(
  sql: Sql,
  details: { readonly before: Counterparty; readonly after: Counterparty },
  edit: "Replaced" | "Corrected",
  how: { readonly by: Decider; readonly decrypt: (encrypted: EncryptedAccountNumber) => string },
): Promise<void> {
  const { before } = details;
  for (const change of await readOpenChanges(sql, [before])) {
    const next = afterEdit(change, details, edit, how);
    if (next !== change) await saveChange(sql, before.book, next);
  }
}
