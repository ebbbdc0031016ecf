import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { VerifyCounterparty as VerifyCounterpartyRequest } from "../../../contracts/messages/orders.ts";
import { Answers, type Ask, type Replayed } from "../../platform/handlers/decorators.ts";
import { Seals } from "../../platform/encryption/account-number-cipher.ts";
import { ChangeCounterparty } from "./with-locked-counterparty.ts";
import { verify } from "../order/counterparty.ts";
import { saveCounterparty } from "./store/counterparties.ts";

type Body = z.output<(typeof VerifyCounterpartyRequest)["data"]>;

/** Unverified → Verified or Failed, on the word of a principal that did not enter the details. */
@Controller()
export class VerifyCounterparty {
  readonly #counterparties: ChangeCounterparty;
  readonly #seals: Seals;

  constructor(@Inject(ChangeCounterparty) counterparties: ChangeCounterparty, @Inject(Seals) seals: Seals) {
    this.#counterparties = counterparties;
    this.#seals = seals;
  }

  /** Refusals: `not_found`, `precondition_failed`, and what `verify` refuses. */
  @Answers(VerifyCounterpartyRequest)
  verify(meant: Body, ask: Ask): Promise<CounterpartyView | Replayed<CounterpartyView>> {
    const open = this.#seals.open.bind(this.#seals);
    const { principal, mode } = ask.caller;
    return this.#counterparties.run("verify-counterparty", meant, ask, async (counterparty, sql) => {
      const verified = verify(counterparty, { principal, now: new Date() }, mode, open);
      if (verified !== counterparty) await saveCounterparty(sql, verified);
      return verified;
    });
  }
}
