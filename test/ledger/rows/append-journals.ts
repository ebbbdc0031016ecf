import { pipeline } from "../../../services/platform/persistence/pipeline.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import type { Journal } from "../../../services/ledger/book/journal.ts";
import { insertEntries, insertHeaders } from "../../../services/ledger/posting/store/append-journals.ts";

/** Appends journals that nothing has decided, with the statements of the ledger. */
export async function appendJournals(sql: Sql, journals: readonly Journal[]): Promise<void> {
  await pipeline(
    sql,
    (tx) => insertEntries(tx, journals),
    (tx) => insertHeaders(tx, journals),
  );
}
