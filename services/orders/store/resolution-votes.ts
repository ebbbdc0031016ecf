import { uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { ResolutionVote } from "../order/manual-resolution.ts";
import type { OrderKey } from "./payment-orders.ts";

/** The latest vote on an order. Hold the order's row lock: the next vote's position is counted from this one. */
export async function latestVote(
  sql: Sql,
  { book, id }: OrderKey,
): Promise<(ResolutionVote & { readonly position: number }) | undefined> {
  const [row] = await sql<ResolutionVote & { position: number }>(
    `select position, outcome as "as", operator as "by", evidence, at
     from resolution_vote
     where book_id = $1
       and order_id = $2
     order by position desc
     limit 1`,
    [uuidOf(book), uuidOf(id)],
  );
  return row;
}

export async function insertVote(
  sql: Sql,
  { book, id }: OrderKey,
  position: number,
  vote: ResolutionVote,
): Promise<void> {
  await sql(
    `insert into resolution_vote (book_id, order_id, position, outcome, operator, evidence, at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [uuidOf(book), uuidOf(id), position, vote.as, vote.by, vote.evidence, vote.at],
  );
}
