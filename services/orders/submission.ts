import { Inject, Injectable } from "@nestjs/common";
import { expectedSettlementDate, newYorkDate, windowAt } from "../../contracts/banking-calendar.ts";
import { Seals } from "../platform/process/seals.ts";
import { act, type Advance } from "./domain/advance.ts";
import { approvalsRequired } from "./domain/approval-policy.ts";
import { checkSubmission } from "./domain/controls.ts";
import type { World } from "./domain/gate.ts";
import { orderHash } from "./domain/order-hash.ts";
import type { PaymentOrder, Progress } from "./domain/payment-order.ts";

/** The one Draft → Submitted move: controls first, then the freeze, then the hold is asked for. */
@Injectable()
export class Submission {
  readonly #seals: Seals;

  constructor(@Inject(Seals) seals: Seals) {
    this.#seals = seals;
  }

  /** Submits a Draft. Throws the `Refusal` of the first control that it violates; nothing has changed then. */
  submit(advance: Advance, principal: string, world: World): void {
    const { order } = advance;
    const account = order.frozen.counterpartyAccount;
    checkSubmission(order.frozen, account === null ? null : this.#seals.open(account), order.mode, world.now);
    const { makers } = order.progress;
    advance.order = {
      ...order,
      progress: {
        ...order.progress,
        ...estimate(order, world),
        makers: makers.includes(principal) ? makers : [...makers, principal],
        orderHash: orderHash(order.frozen),
        approvalsRequired: approvalsRequired(order.frozen, world.policy),
      },
    };
    act(advance, "Submit", world, { actor: principal });
  }
}

/** Cutoff and settlement date as they look now; binding at hand-off. An Instant book's windows stand open. */
function estimate(order: PaymentOrder, world: World): Pick<Progress, "cutoff" | "expectedSettlementDate"> {
  const at = earliestHandOff(order, world);
  if (world.clock === "Instant") return { cutoff: null, expectedSettlementDate: newYorkDate(at) };
  const window = windowAt(order.frozen.rail, at);
  const settlement = expectedSettlementDate(order.frozen.rail, at);
  if (window.cutoffAt === null) return { cutoff: null, expectedSettlementDate: settlement };
  return {
    cutoff: {
      missed: !window.open,
      cutoffAt: window.cutoffAt.toISOString(),
      nextWindowOpensAt: window.open ? null : window.nextWindowOpensAt.toISOString(),
      reason: window.open ? null : window.reason,
    },
    expectedSettlementDate: settlement,
  };
}

/** Now, or noon in New York (in winter; an hour later in summer) of the date before which nothing is handed off. */
function earliestHandOff({ frozen: { effectiveDate } }: PaymentOrder, { now }: World): Date {
  if (effectiveDate === null || effectiveDate <= newYorkDate(now)) return now;
  return new Date(`${effectiveDate}T17:00:00.000Z`);
}
