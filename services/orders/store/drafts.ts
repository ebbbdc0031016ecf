import type { Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { orderRecord, rowOf } from "./order-rows.ts";

/**
 * Updates the terms of a Draft. The caller holds the row lock. The database refuses the update if the order is no
 * longer a Draft.
 */
export async function saveDraft(sql: Sql, draft: PaymentOrder): Promise<void> {
  await sql(
    `update payment_order o
     set direction = n.direction,
         rail = n.rail,
         amount_cents = n.amount_cents,
         ledger_account_id = n.ledger_account_id,
         ledger_account_name = n.ledger_account_name,
         counterparty_id = n.counterparty_id,
         counterparty_name = n.counterparty_name,
         counterparty_account = n.counterparty_account,
         counterparty_ledger_account_id = n.counterparty_ledger_account_id,
         counterparty_routing_number = n.counterparty_routing_number,
         external_id = n.external_id,
         description = n.description,
         statement_descriptor = n.statement_descriptor,
         effective_date = n.effective_date,
         purpose = n.purpose,
         basis = n.basis,
         metadata = n.metadata,
         progress = n.progress,
         updated_at = n.updated_at
     from jsonb_to_record($1::jsonb) as n (${orderRecord})
     where o.book_id = n.book_id
       and o.id = n.id`,
    [JSON.stringify(rowOf(draft))],
  );
}
