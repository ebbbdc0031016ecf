import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import {
  ArchiveCounterparty as ArchiveCounterpartyRequest,
  RestoreCounterparty,
} from "../../../contracts/messages/orders.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { withLockedCounterparty } from "./with-locked-counterparty.ts";
import { archive, restore } from "../order/counterparty.ts";

type Body = z.output<(typeof ArchiveCounterpartyRequest)["data"]>;
type Answer = Promise<CounterpartyView | IdempotentReplay<CounterpartyView>>;

/** Takes a counterparty out of use, and back into it. Orders under way go on: they have a copy of its details. */
@Controller()
export class ArchiveCounterparty {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** Refusals: those of `withLockedCounterparty`. */
  @HandlesRequest(ArchiveCounterpartyRequest)
  archive(target: Body, request: RequestContext): Answer {
    const { principal } = request.caller;
    return withLockedCounterparty(this.#units, "archive-counterparty", target, request, (counterparty) =>
      archive(counterparty, { principal, now: realTime() }),
    );
  }

  /** Refusals: those of `withLockedCounterparty`. */
  @HandlesRequest(RestoreCounterparty)
  restore(target: Body, request: RequestContext): Answer {
    return withLockedCounterparty(this.#units, "restore-counterparty", target, request, (counterparty) =>
      restore(counterparty, realTime()),
    );
  }
}
