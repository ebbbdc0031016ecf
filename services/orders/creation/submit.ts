import { Inject, Injectable } from "@nestjs/common";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { transition, type Transition } from "../order/transition.ts";
import { madeBy, requirementsUnder } from "../order/approvals.ts";
import { checkBookOpen, checkCounterpartyPolicy, checkSubmission } from "../order/submission-controls.ts";
import { type DailyUsage, limitDateFor, isLimited } from "../order/daily-limit.ts";
import type { BookContext } from "../order/book-context.ts";
import { estimateSettlement } from "../order/settlement-estimate.ts";
import type { CounterpartySnapshot } from "../order/counterparty.ts";
import { orderHash } from "../order/order-hash.ts";
import { checkCounterpartyVerified, checkNoChangePending } from "../order/counterparty-snapshot.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { lockUsage } from "../store/daily-usage.ts";
import type { BookContextOf } from "../lifecycle/book-context.ts";

/** Draft → Submitted, for every way to submit: runs the controls, fixes the terms, requests the hold. */
@Injectable()
export class Submission {
  readonly #cipher: SecretCipher;

  constructor(@Inject(SecretCipher) cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  /**
   * Locks today's usage for the Drafts whose books have a daily limit, and sends nothing if none has. Each book has its
   * own today. Lock it after the rows of existing orders and before the idempotency keys.
   */
  lockUsage(sql: Sql, drafts: readonly PaymentOrder[], contextOf: BookContextOf): Promise<DailyUsage> {
    const limited = drafts.filter((order) => isLimited(order, contextOf(order).policy));
    return lockUsage(sql, new Map(limited.map((order) => [order.book, newYorkDate(contextOf(order).now)])));
  }

  /**
   * Submits a Draft. `counterparty` is the one that it names, as read in this transaction; its details are already in
   * the Draft's terms. `usage` is the daily usage that this transaction has locked. Refusals: that of the first control
   * that the Draft violates.
   */
  submit(
    draft: PaymentOrder,
    {
      counterparty,
      principal,
    }: { readonly counterparty: CounterpartySnapshot | null; readonly principal: string },
    context: BookContext,
    usage: DailyUsage,
  ): Transition {
    checkBookOpen(context);
    checkCounterpartyVerified(draft, counterparty);
    checkNoChangePending(draft.terms, counterparty, context.now);
    const account = draft.terms.counterpartyAccount;
    checkSubmission(
      draft.terms,
      account === null ? null : this.#cipher.decrypt(account),
      draft.mode,
      context.now,
    );
    checkCounterpartyPolicy(draft.terms, context.policy);
    // The last control: an order that another control refuses must not use up the limit.
    const taken = usage.take(draft, context);
    const submitted = madeBy(principal, {
      ...draft,
      progress: {
        ...draft.progress,
        approvals: {
          ...draft.progress.approvals,
          ...requirementsUnder(draft.terms, context.policy),
          orderHash: orderHash(draft.terms),
        },
        estimate: estimateSettlement(draft, context),
        limitDate: limitDateFor(draft, context),
      },
    });
    return { ...transition(submitted, "Submit", context, { actor: principal }), usage: taken };
  }
}
