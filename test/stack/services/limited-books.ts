/** Books with a daily limit, for a test of orders. */
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { DecidePolicyProposal, PutApprovalPolicy } from "../../../contracts/messages/orders.ts";
import { defaultApprovalPolicy } from "../../../services/orders/order/approval-policy.ts";
import type { OrdersOnTest } from "../orders/orders.ts";

const policy = { ...defaultApprovalPolicy, dualApprovalRails: [...defaultApprovalPolicy.dualApprovalRails] };

export class LimitedBooks {
  readonly #orders: OrdersOnTest;

  constructor(orders: OrdersOnTest) {
    this.#orders = orders;
  }

  /** A book of its own, with this daily limit or none. */
  async bookWith(dailyLimitCents: number | null): Promise<Caller> {
    const caller = this.#orders.caller("maker", newId("ten"));
    if (dailyLimitCents !== null) await this.limit(caller, dailyLimitCents);
    return caller;
  }

  /** Sets the limit of the caller's book; a second principal approves it where it is looser. */
  async limit(caller: Caller, dailyLimitCents: number | null, change: object = {}): Promise<void> {
    const next = { ...policy, ...change, dailyLimitCents };
    const { value } = await this.#orders.request(PutApprovalPolicy, next, { caller });
    if (!("proposalId" in value)) return;
    const other = { caller: { ...caller, principal: "ann" } };
    await this.#orders.request(DecidePolicyProposal, { id: value.proposalId, decision: "Approve" }, other);
  }

  pay(caller: Caller, amountCents: number, change: object = {}): Promise<PaymentOrder> {
    return this.#orders.create({ rail: "Rtp", amountCents, ...change }, { caller });
  }

  /** The used cents of each day of the caller's book, in order of day. */
  async usageRows({ book }: Caller): Promise<number[]> {
    const rows = await this.#orders.sql<{ cents: number }>(
      "select used_cents::int as cents from daily_usage where book_id = $1 order by day",
      [uuidOf(book)],
    );
    return rows.map(({ cents }) => cents);
  }
}
