import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { VerifyCounterparty as VerifyCounterpartyRequest } from "../../../contracts/messages/orders.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { ChangeCounterparty } from "./with-locked-counterparty.ts";
import { verify } from "../order/counterparty.ts";
import { saveCounterparty } from "./store/counterparties.ts";

type Body = z.output<(typeof VerifyCounterpartyRequest)["data"]>;

/** Unverified → Verified or Failed, on the word of a principal that did not enter the details. */
@Controller()
export class VerifyCounterparty {
  readonly #counterparties: ChangeCounterparty;
  readonly #seals: AccountNumberCipher;

  constructor(
    @Inject(ChangeCounterparty) counterparties: ChangeCounterparty,
    @Inject(AccountNumberCipher) seals: AccountNumberCipher,
  ) {
    this.#counterparties = counterparties;
    this.#seals = seals;
  }

  /** Refusals: `not_found`, `precondition_failed`, and what `verify` refuses. */
  @HandlesRequest(VerifyCounterpartyRequest)
  verify(meant: Body, ask: RequestContext): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    const open = this.#seals.decrypt.bind(this.#seals);
    const { principal, mode } = ask.caller;
    return this.#counterparties.run("verify-counterparty", meant, ask, async (counterparty, sql) => {
      const verified = verify(counterparty, { principal, now: new Date() }, mode, open);
      if (verified !== counterparty) await saveCounterparty(sql, verified);
      return verified;
    });
  }
}
