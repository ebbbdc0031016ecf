import { Inject, Injectable } from "@nestjs/common";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { act, type Advance } from "../order/transition.ts";
import { needsUnder } from "../order/approvals.ts";
import { checkBookOpen, checkCounterpartyPolicy, checkSubmission } from "../order/submission-controls.ts";
import { DailyUsage, dayThatCounts, isLimited } from "../order/daily-limit.ts";
import type { World } from "../order/release-gate.ts";
import { estimate } from "../order/settlement-estimate.ts";
import { orderHash } from "../order/order-hash.ts";
import { checkPayee } from "../order/payee.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { lockUsage } from "../store/daily-usage.ts";
import type { WorldOf } from "../lifecycle/book-context.ts";

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
  lockUsage(sql: Sql, drafts: readonly PaymentOrder[], worldOf: WorldOf): Promise<DailyUsage> {
    const limited = drafts.filter((order) => isLimited(order, worldOf(order).policy));
    const [first] = limited;
    if (first === undefined) return Promise.resolve(new DailyUsage());
    const books = limited.map(({ book }) => book);
    return lockUsage(sql, books, newYorkDate(worldOf(first).now));
  }

  /**
   * Submits a Draft; `usage` is what the transaction has locked of the books' daily usage. Throws the `Refusal` of the
   * first control that it violates; nothing has changed then.
   */
  submit(advance: Advance, principal: string, world: World, usage: DailyUsage): void {
    const { order } = advance;
    checkBookOpen(world);
    checkPayee(advance);
    const account = order.frozen.counterpartyAccount;
    checkSubmission(
      order.frozen,
      account === null ? null : this.#seals.decrypt(account),
      order.mode,
      world.now,
    );
    checkCounterpartyPolicy(order.frozen, world.policy);
    // The last control: an order that another one refuses takes nothing of the day.
    advance.usage.push(...usage.take(order, world));
    const { makers } = order.progress;
    advance.order = {
      ...order,
      progress: {
        ...order.progress,
        ...estimate(order, world),
        makers: makers.includes(principal) ? makers : [...makers, principal],
        orderHash: orderHash(order.frozen),
        ...needsUnder(order.frozen, world.policy),
        countsOn: dayThatCounts(order, world),
      },
    };
    act(advance, "Submit", world, { actor: principal });
  }
}
