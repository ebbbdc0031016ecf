import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { CreateCounterparty as CreateCounterpartyRequest } from "../../../contracts/messages/orders.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { checkAccounts } from "../order/counterparty-accounts.ts";
import { type CounterpartyDetails, counterpartyView, newCounterparty } from "../order/counterparty.ts";
import { insertCounterparty } from "./store/counterparties.ts";

type Body = z.output<(typeof CreateCounterpartyRequest)["data"]>;

/** Writes down whom the book pays: unverified, its account numbers sealed. */
@Controller()
export class CreateCounterparty {
  readonly #units: UnitOfWorkRunner;
  readonly #seals: AccountNumberCipher;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(AccountNumberCipher) seals: AccountNumberCipher,
  ) {
    this.#units = units;
    this.#seals = seals;
  }

  /** Refusals: `external_id_in_use`, and what `checkAccounts` refuses. */
  @HandlesRequest(CreateCounterpartyRequest)
  create(body: Body, ask: RequestContext): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    const { book, principal } = ask.caller;
    const operation = { name: "create-counterparty", resourceId: ({ id }: CounterpartyView) => id };
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, operation, async () => {
        const details = detailsOf(body);
        checkAccounts(details.accounts, (sealed) => this.#seals.decrypt(sealed));
        const counterparty = newCounterparty(newId("cp"), book, details, { principal, now: new Date() });
        if (!(await insertCounterparty(unit.sql, counterparty))) throw externalIdInUse();
        return counterpartyView(counterparty);
      }),
    );
  }
}

/** What is left out is empty: PUT, too, replaces in full. */
export function detailsOf(body: Body): CounterpartyDetails {
  return {
    name: body.name,
    type: body.type,
    email: body.email ?? null,
    externalId: body.externalId ?? null,
    accounts: body.accounts.map((account) => ({ ...account, accountType: account.accountType ?? null })),
    metadata: body.metadata ?? {},
  };
}

export function externalIdInUse(): Refusal {
  const detail = "Another counterparty has this externalId. Choose another, or none.";
  return new Refusal("external_id_in_use", detail, {
    errors: [{ pointer: "/externalId", code: "external_id_in_use", message: "is in use in this book" }],
  });
}
