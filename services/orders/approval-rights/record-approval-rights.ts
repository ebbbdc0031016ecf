import type { z } from "zod";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { numberedApprovalRight } from "../../../contracts/messages/tenants.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { recheckLater } from "../rechecks/store/rechecks.ts";
import { upsertApprovalRights } from "./store/approval-rights.ts";

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
  // Of several changes of one right the latest counts: a statement can't change a row twice.
  const latest = new Map<string, (typeof rights)[number]>();
  for (const right of rights) {
    const known = latest.get(right.principal);
    if (known === undefined || known.sequence < right.sequence) latest.set(right.principal, right);
  }
  const inOrder = [...latest.values()].sort((a, b) => (a.principal < b.principal ? -1 : 1));
  const recorded = inOrder.map(({ principal, sequence, heldUntil, heldSince }) => ({
    principal,
    sequence,
    heldUntil: timeOf(heldUntil),
    heldSince: timeOf(heldSince ?? null),
  }));
  if (await upsertApprovalRights(sql, book, recorded)) await recheckLater(sql, { book, kind: "Gate" });
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
