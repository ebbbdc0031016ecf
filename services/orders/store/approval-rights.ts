import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

/** Until when a principal holds the right to approve, null for no end; and since when, if it had lost it before. */
interface RecordedApprovalRight {
  readonly book: BookId;
  readonly principal: string;
  readonly sequence: number;
  readonly heldUntil: Date | null;
  readonly heldSince: Date | null;
}

/**
 * Records a principal's right. Returns false for an event that is older than the recorded one. A row is never removed:
 * without it the principal's void approvals would count again, and a repeat of an older event would be taken. There are
 * few in a book, because only the operator or two principals together let somebody approve.
 */
export async function upsertApprovalRight(sql: Sql, right: RecordedApprovalRight): Promise<boolean> {
  const rows = await sql(
    `insert into approval_right as known (book_id, principal, sequence, held_until, held_since)
     values ($1, $2, $3, $4, $5)
     on conflict on constraint approval_right_pkey do update
       set sequence = excluded.sequence,
           held_until = excluded.held_until,
           held_since = excluded.held_since
       where known.sequence < excluded.sequence
     returning 1`,
    [uuidOf(right.book), right.principal, right.sequence, right.heldUntil, right.heldSince],
  );
  return rows.length > 0;
}
