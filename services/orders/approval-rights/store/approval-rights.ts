import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** Until when a principal holds the right to approve, null for no end; and since when, if it had lost it before. */
interface RecordedApprovalRight {
  readonly principal: string;
  readonly sequence: number;
  readonly heldUntil: Date | null;
  readonly heldSince: Date | null;
}

/**
 * Records the rights of principals, one of each, in this order. Returns false if each is older than the recorded one.
 * A row is never removed: without it the principal's void approvals would count again, and a repeat of an older event
 * would be taken.
 */
export async function upsertApprovalRights(
  sql: Sql,
  book: BookId,
  rights: readonly RecordedApprovalRight[],
): Promise<boolean> {
  const rows = await sql(
    `insert into approval_right as known (book_id, principal, sequence, held_until, held_since)
     select $1, r.principal, r.sequence, r.held_until, r.held_since
     from unnest($2::text[], $3::int[], $4::timestamptz[], $5::timestamptz[])
       with ordinality as r (principal, sequence, held_until, held_since, position)
     order by r.position
     on conflict on constraint approval_right_pkey do update
       set sequence = excluded.sequence,
           held_until = excluded.held_until,
           held_since = excluded.held_since
       where known.sequence < excluded.sequence
     returning 1`,
    [
      uuidOf(book),
      rights.map(({ principal }) => principal),
      rights.map(({ sequence }) => sequence),
      rights.map(({ heldUntil }) => heldUntil?.toISOString() ?? null),
      rights.map(({ heldSince }) => heldSince?.toISOString() ?? null),
    ],
  );
  return rows.length > 0;
}
