/** `npm run books -- suspense`: money in Suspense that belongs to an order, so that no tenant can assign it. */
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { dollars } from "../../../services/orders/order/dollars.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import type { Given } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { inLedger, onlyBookOf } from "./decision.ts";

interface OpenAmount {
  readonly book_id: string;
  readonly order_id: string;
  /** More than 0 if the bank holds it for the book, less if the bank has paid it out. */
  readonly cents: bigint;
  /** The order's first entry on Suspense, also one that was cancelled out later. */
  readonly first_entry_at: Date;
}

/**
 * The orders whose entries on Suspense do not cancel out, oldest first: of unexpected movements, of late returns to a
 * closed account, and of payments that were sent back when the hold was released already.
 */
function readOpen(sql: Sql, book: string | null): Promise<OpenAmount[]> {
  return sql<OpenAmount>(
    `select j.book_id, coalesce(j.order_id, p.returns_order_id) as order_id, min(j.recorded_at) as first_entry_at,
       sum(case e.direction when 'Credit' then e.amount_cents else -e.amount_cents end)::bigint as cents
     from account a
     join entry e using (book_id, account_id)
     join journal j using (book_id, seq)
     left join inbound_payment p
       on p.book_id = j.book_id and p.seq = j.seq and p.reason = 'ReturnOfPayment'
       and p.status in ('Offset', 'Suspended')
     where a.class = 'Suspense'
       and ($1::uuid is null or a.book_id = $1)
       and coalesce(j.order_id, p.returns_order_id) is not null
     group by 1, 2
     having sum(case e.direction when 'Credit' then e.amount_cents else -e.amount_cents end) <> 0
     order by first_entry_at`,
    [book],
  );
}

async function suspense(sql: Sql, given: Given): Promise<void> {
  const only = onlyBookOf(given);
  const rows = await readOpen(sql, only === undefined ? null : uuidOf(only));
  if (rows.length === 0) given.note("no order has money in Suspense");
  for (const row of rows) {
    const [book, orderId] = [idOf("book", row.book_id), idOf("po", row.order_id)];
    const [cents, firstEntryAt] = [Number(row.cents), row.first_entry_at.toISOString()];
    const amount = dollars(Math.abs(cents));
    given.print(
      { book, orderId, cents, firstEntryAt },
      `${orderId}  ${book}  first entry at ${firstEntryAt}`,
      cents > 0
        ? `  ${amount}: the bank holds it for the book, and no account was credited with it`
        : `  ${amount}: the bank paid it out, and no account was charged for it`,
    );
  }
}

export const suspenseCommands: Tool["commands"] = {
  suspense: {
    about: "list the money in Suspense that belongs to an order, so that no tenant can assign it",
    takes: ["[book id]"],
    check: onlyBookOf,
    run: (given) => inLedger((sql) => suspense(sql, given)),
  },
};
