import type { z } from "zod";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { numberedApprovalRight } from "../../../contracts/messages/tenants.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { recheckLater } from "../rechecks/store/rechecks.ts";
import { upsertApprovalRight } from "../store/approval-rights.ts";

/**
 * Records until when principals may approve, and lets the hand-off gate look again at the book's orders. A right with a
 * lower number than the recorded one is left out. A change comes as an event and as a request at the same moment.
 * Both lock the rights by principal, then the book's `gate_recheck`, so that they don't deadlock.
 */
export async function recordApprovalRights(
  sql: Sql,
  book: BookId,
  rights: readonly z.output<typeof numberedApprovalRight>[],
): Promise<void> {
  let isChanged = false;
  const inOrder = rights.toSorted((a, b) => compare(a.principal, b.principal));
  for (const { principal, sequence, ...held } of inOrder) {
    const heldUntil = timeOf(held.heldUntil);
    const heldSince = timeOf(held.heldSince ?? null);
    if (await upsertApprovalRight(sql, { book, principal, sequence, heldUntil, heldSince })) isChanged = true;
  }
  if (isChanged) await recheckLater(sql, { book, kind: "Gate" });
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** 0 for equal texts, so that changes of one right stay in their order. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
