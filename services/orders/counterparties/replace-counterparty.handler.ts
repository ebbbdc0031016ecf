import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { ReplaceCounterparty as ReplaceCounterpartyRequest } from "../../../contracts/messages/orders.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { ChangeCounterparty } from "./with-locked-counterparty.ts";
import { detailsOf, externalIdInUse } from "./create-counterparty.handler.ts";
import { checkAccounts } from "../order/counterparty-accounts.ts";
import { replaceDetails } from "../order/counterparty.ts";
import { saveCounterparty } from "./store/counterparties.ts";

type Body = z.output<(typeof ReplaceCounterpartyRequest)["data"]>;

/** Replaces a counterparty in full. Orders that are submitted keep the details that they were submitted with. */
@Controller()
export class ReplaceCounterparty {
  readonly #counterparties: ChangeCounterparty;
  readonly #seals: AccountNumberCipher;

  constructor(
    @Inject(ChangeCounterparty) counterparties: ChangeCounterparty,
    @Inject(AccountNumberCipher) seals: AccountNumberCipher,
  ) {
    this.#counterparties = counterparties;
    this.#seals = seals;
  }

  /** Refusals: `not_found`, `precondition_failed`, `external_id_in_use`, and what `checkAccounts` refuses. */
  @HandlesRequest(ReplaceCounterpartyRequest)
  replace(
    { id, ifMatch, ...body }: Body,
    ask: RequestContext,
  ): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    const open = this.#seals.decrypt.bind(this.#seals);
    const { principal } = ask.caller;
    return this.#counterparties.run(
      "replace-counterparty",
      { id, ifMatch },
      ask,
      async (counterparty, sql) => {
        const details = detailsOf(body);
        checkAccounts(details.accounts, open);
        const replaced = replaceDetails(counterparty, details, { principal, now: new Date() }, open);
        await saveCounterparty(sql, replaced).catch((error: unknown) => {
          throw isExternalIdTaken(error) ? externalIdInUse() : error;
        });
        return replaced;
      },
    );
  }
}

function isExternalIdTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === "counterparty_external_id";
}
