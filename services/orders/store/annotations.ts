import { type BookId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { AnnotationChange } from "../order/annotations.ts";
import type { PaymentOrder } from "../order/payment-order.ts";

/** Saves an order's new annotations with their change. The caller holds the row lock, which numbers the changes. */
export async function saveAnnotations(
  sql: Sql,
  { book, id, annotations }: PaymentOrder,
  { principal, at, before, after }: AnnotationChange,
): Promise<void> {
  await sql(
    `with changed as (
       update payment_order
       set annotations = $3,
           updated_at = $4
       where book_id = $1
         and id = $2
     )
     insert into annotation_change (book_id, order_id, position, principal, at, before, after)
     select $1, $2, coalesce(max(position), 0) + 1, $5, $4, $6, $7
     from annotation_change
     where book_id = $1
       and order_id = $2`,
    [
      uuidOf(book),
      uuidOf(id),
      JSON.stringify(annotations),
      at,
      principal,
      JSON.stringify(before),
      JSON.stringify(after),
    ],
  );
}

/** Changes of one order, newest first, before the one at `before`. Walks the primary key backwards. */
export async function readAnnotationChanges(
  sql: Sql,
  { book, id }: { readonly book: BookId; readonly id: PaymentOrderId },
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<(AnnotationChange & { readonly position: number })[]> {
  return sql<AnnotationChange & { position: number }>(
    `select position, principal, at, before, after
     from annotation_change
     where book_id = $1
       and order_id = $2
       and position < $3::bigint
     order by position desc
     limit $4`,
    [uuidOf(book), uuidOf(id), before, limit],
  );
}
