import { Inject, Injectable } from "@nestjs/common";
import { Seals } from "../platform/process/seals.ts";
import { act, type Advance } from "./domain/advance.ts";
import { needsUnder } from "./domain/approvals.ts";
import { checkSubmission } from "./domain/controls.ts";
import type { World } from "./domain/gate.ts";
import { estimate } from "./domain/estimate.ts";
import { orderHash } from "./domain/order-hash.ts";

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
        ...needsUnder(order.frozen, world.policy),
      },
    };
    act(advance, "Submit", world, { actor: principal });
  }
}
