import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { CreateCounterparty as CreateCounterpartyRequest } from "../../../contracts/messages/orders.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import {
  type CounterpartyDetails,
  counterpartyView,
  newCounterparty,
  checkAccounts,
} from "../order/counterparty.ts";
import { insertCounterparty } from "./store/counterparties.ts";

type Body = z.output<(typeof CreateCounterpartyRequest)["data"]>;

/** Creates a counterparty that the book can pay. It is unverified, and its account numbers are encrypted. */
@Controller()
export class CreateCounterparty {
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#units = units;
    this.#cipher = cipher;
  }

  /** Refusals: `external_id_in_use` and those of `checkAccounts`. */
  @HandlesRequest(CreateCounterpartyRequest)
  create(
    body: Body,
    request: RequestContext,
  ): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    const { book, principal } = request.caller;
    const operation = { name: "create-counterparty", resourceId: ({ id }: CounterpartyView) => id };
    return this.#units.runFor(request, (unit) =>
      withIdempotency(unit, request, operation, async () => {
        const details = toDetails(body);
        checkAccounts(details.accounts, (number) => this.#cipher.decrypt(number));
        const counterparty = newCounterparty(newId("cp"), book, details, { principal, now: realTime() });
        await insertCounterparty(unit.em, counterparty);
        return counterpartyView(counterparty);
      }),
    );
  }
}

/** Fields that the body leaves out become empty. PUT uses this too, because it replaces the counterparty in full. */
export function toDetails(body: Body): CounterpartyDetails {
  return {
    name: body.name,
    type: body.type,
    email: body.email ?? null,
    externalId: body.externalId ?? null,
    accounts: body.accounts.map((account) => ({ ...account, accountType: account.accountType ?? null })),
    metadata: body.metadata ?? {},
  };
}
