import { Inject, Injectable } from "@nestjs/common";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { transition, type Transition } from "../order/transition.ts";
import { requirementsUnder } from "../order/approvals.ts";
import { checkBookOpen, checkCounterpartyPolicy, checkSubmission } from "../order/submission-controls.ts";
import { DailyUsage, limitDateFor, isLimited } from "../order/daily-limit.ts";
import type { BookContext } from "../order/release-gate.ts";
import { estimateSettlement } from "../order/settlement-estimate.ts";
import { orderHash } from "../order/order-hash.ts";
import { checkPayee } from "../order/payee.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { lockUsage } from "../store/daily-usage.ts";
import type { BookContextOf } from "../lifecycle/book-context.ts";

/** The one Draft → Submitted move: controls first, then the freeze, then the hold is asked for. */
@Injectable()
export class Submission {
  readonly #seals: AccountNumberCipher;

  constructor(@Inject(AccountNumberCipher) seals: AccountNumberCipher) {
    this.#seals = seals;
  }

  /**
   * Locks what is left today for these Drafts, in books with a daily limit; for all others it asks nothing. Behind the
   * rows of existing orders, before the idempotency keys.
   */
  lockUsage(sql: Sql, drafts: readonly PaymentOrder[], contextOf: BookContextOf): Promise<DailyUsage> {
    const limited = drafts.filter((order) => isLimited(order, contextOf(order).policy));
    const [first] = limited;
    if (first === undefined) return Promise.resolve(new DailyUsage());
    const books = limited.map(({ book }) => book);
    return lockUsage(sql, books, newYorkDate(contextOf(first).now));
  }

  /**
   * Submits a Draft; `usage` is what the transaction has locked of the books' daily usage. Throws the `Refusal` of the
   * first control that it violates; nothing has changed then.
   */
  submit(advance: Transition, principal: string, context: BookContext, usage: DailyUsage): void {
    const { order } = advance;
    checkBookOpen(context);
    checkPayee(advance);
    const account = order.terms.counterpartyAccount;
    checkSubmission(
      order.terms,
      account === null ? null : this.#seals.decrypt(account),
      order.mode,
      context.now,
    );
    checkCounterpartyPolicy(order.terms, context.policy);
    // The last control: an order that another one refuses takes nothing of the day.
    advance.usage.push(...usage.take(order, context));
    const { makers } = order.progress;
    advance.order = {
      ...order,
      progress: {
        ...order.progress,
        ...estimateSettlement(order, context),
        makers: makers.includes(principal) ? makers : [...makers, principal],
        orderHash: orderHash(order.terms),
        ...requirementsUnder(order.terms, context.policy),
        limitDate: limitDateFor(order, context),
      },
    };
    transition(advance, "Submit", context, { actor: principal });
  }
}
