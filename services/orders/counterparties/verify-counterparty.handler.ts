import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { VerifyCounterparty as VerifyCounterpartyRequest } from "../../../contracts/messages/orders.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { withLockedCounterparty } from "./with-locked-counterparty.ts";
import { verify } from "../order/counterparty.ts";

type Body = z.output<(typeof VerifyCounterpartyRequest)["data"]>;

/** Unverified → Verified or Failed, requested by a principal that did not enter the details. */
@Controller()
export class VerifyCounterparty {
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#units = units;
    this.#cipher = cipher;
  }

  /** Refusals: those of `withLockedCounterparty` and `verify`. */
  @HandlesRequest(VerifyCounterpartyRequest)
  verify(
    target: Body,
    request: RequestContext,
  ): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    const { principal, mode } = request.caller;
    return withLockedCounterparty(this.#units, "verify-counterparty", target, request, (counterparty) =>
      verify(counterparty, { principal, now: realTime() }, mode, (number) => this.#cipher.decrypt(number)),
    );
  }
}
