import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { ReplaceCounterparty as ReplaceCounterpartyRequest } from "../../../contracts/messages/orders.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { closeOutdatedChanges } from "./close-outdated-changes.ts";
import { withLockedCounterparty } from "./with-locked-counterparty.ts";
import { toDetails } from "./create-counterparty.handler.ts";
import { replaceDetails, checkAccounts } from "../order/counterparty.ts";

type Body = z.output<(typeof ReplaceCounterpartyRequest)["data"]>;

/** Replaces a counterparty in full. Submitted orders keep the details that they were submitted with. */
@Controller()
export class ReplaceCounterparty {
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#units = units;
    this.#cipher = cipher;
  }

  /** Refusals: those of `withLockedCounterparty` and `checkAccounts`. */
  @HandlesRequest(ReplaceCounterpartyRequest)
  replace(
    { id, ifMatch, ...body }: Body,
    request: RequestContext,
  ): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    const decrypt = this.#cipher.decrypt.bind(this.#cipher);
    const { principal } = request.caller;
    const target = { id, ifMatch };
    return withLockedCounterparty(
      this.#units,
      "replace-counterparty",
      target,
      request,
      async (counterparty, { sql }) => {
        const details = toDetails(body);
        checkAccounts(details.accounts, decrypt);
        const by = { principal, now: realTime() };
        const replaced = replaceDetails(counterparty, details, by, decrypt);
        await closeOutdatedChanges(sql, { before: counterparty, after: replaced }, "Replaced", {
          by,
          decrypt,
        });
        return replaced;
      },
    );
  }
}
