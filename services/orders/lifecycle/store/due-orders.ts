import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { BookFilter } from "../../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { PaymentOrder } from "../../order/payment-order.ts";
import { orderColumns, orderOf, type OrderRow } from "../../store/order-rows.ts";

/**
 * Claims orders that are due when it is `realNow`: in real time, or on the clock of their book. Skips those that
 * another instance has claimed.
 */
export async function claimDueOrders(
  sql: Sql,
  realNow: Date,
  limit: number,
  filter: BookFilter,
): Promise<PaymentOrder[]> {
  const params = [realNow, limit, filter.books.map(uuidOf), filter.only];
  const [inRealTime, inBooks] = await Promise.all([
    sql<OrderRow>(
      `select ${orderColumns}
       from payment_order
       where due_at <= $1
         and due_at_in_book is null
         and (book_id = any ($3::uuid[])) is not distinct from $4
       order by due_at
       limit $2
       for update skip locked`,
      params,
    ),
    sql<OrderRow>(
      `select o.*
       from book_clock b
       cross join lateral (
         select ${orderColumns}
         from payment_order
         where book_id = b.book_id
           and due_at_in_book <= ${timeInSql("b", "$1")}
         order by due_at_in_book, id
         limit $2
         for update skip locked
       ) o
       where (b.book_id = any ($3::uuid[])) is not distinct from $4
       limit $2`,
      params,
    ),
  ]);
  return [...inRealTime, ...inBooks].map(orderOf);
}

/**
 * Books with an order that is due when it is `realNow`, at most `limit` of each kind. The subquery is ordered like the
 * index of what is due: for a `distinct` alone the planner may walk the primary key, over all orders.
 */
export async function booksWithDueOrders(
  sql: Sql,
  realNow: Date,
  limit: number,
  filter: BookFilter,
): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    `(select distinct d.book_id
      from (
        select book_id
        from payment_order
        where due_at <= $1
          and due_at_in_book is null
          and (book_id = any ($3::uuid[])) is not distinct from $4
        order by due_at
        offset 0
      ) d
      limit $2)
     union
     (select b.book_id
      from book_clock b
      where (b.book_id = any ($3::uuid[])) is not distinct from $4
        and exists (
          select from payment_order o
          where o.book_id = b.book_id
            and o.due_at_in_book <= ${timeInSql("b", "$1")}
        )
      limit $2)`,
    [realNow, limit, filter.books.map(uuidOf), filter.only],
  );
  return rows.map((row) => idOf("book", row.book_id));
}
