import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { InboundReceived, SimulateInbound } from "../../../contracts/messages/inbound.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { railReferenceOf, referenceText } from "../instructions/domain/rail-references.ts";
import { type InboundTransfer, keepTransfer } from "./store/inbound-transfers.ts";

type Simulation = z.output<typeof SimulateInbound.data>;
type Result = z.output<typeof SimulateInbound.reply>;

/** Somebody sends money to a number of a Test book, or tries to collect some: the bank books it and says so. */
@Controller()
export class ReceiveInbound {
  readonly #units: UnitOfWorkRunner;
  readonly #seals: AccountNumberCipher;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(AccountNumberCipher) seals: AccountNumberCipher,
  ) {
    this.#units = units;
    this.#seals = seals;
  }

  /**
   * A reference that the bank has used is the same payment, told once more as banks do. Refusals:
   * `simulation_requires_test_key`; `direction_not_supported` for a collection where the rail knows none;
   * `simulation_not_applicable` for a reference of another payment.
   */
  @HandlesRequest(SimulateInbound)
  simulate(simulation: Simulation, ask: RequestContext) {
    if (ask.caller.mode !== "Test") {
      throw new Refusal("simulation_requires_test_key", "Only Test books are simulated. Use a test key.");
    }
    const { rail, direction } = simulation;
    if (direction === "Debit" && rail !== "Ach" && rail !== "SameDayAch") {
      throw new Refusal(
        "direction_not_supported",
        `Nobody can collect over ${rail}. Send a Credit, or use Ach or SameDayAch.`,
      );
    }
    const operation = { name: "simulate-inbound", resourceId: (result: Result) => result.bankReference };
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, operation, () => receive(unit, ask, simulation, this.#seals)),
    );
  }
}

async function receive(
  unit: UnitOfWork,
  ask: RequestContext,
  simulation: Simulation,
  seals: AccountNumberCipher,
): Promise<Result> {
  const now = new Date();
  const { book, tenant: tenantId, mode } = ask.caller;
  const { bankReference, accountNumber, ...said } = simulation;
  const asked: InboundTransfer = {
    ...said,
    book,
    bankReference: bankReference ?? referenceText(railReferenceOf(said.rail, newUuid(), newYorkDate(now))),
    accountNumber,
    occurredAt: now,
  };
  const kept = await keepTransfer(unit.sql, asked);
  refuseAnother(asked, kept, seals);
  const { occurredAt: at, book: _book, ...transfer } = kept;
  const occurredAt = at.toISOString();
  unit.outbox.add(InboundReceived, {
    book,
    subject: transfer.bankReference,
    // The number as it came now: the seal differs each time, the number does not.
    data: { ...transfer, accountNumber, tenantId, mode, currency: "USD", occurredAt },
    cause: ask,
  });
  const { accountNumber: _number, ...shown } = transfer;
  return { ...shown, currency: "USD", occurredAt };
}

function refuseAnother(asked: InboundTransfer, kept: InboundTransfer, seals: AccountNumberCipher): void {
  const isSame =
    asked.rail === kept.rail &&
    asked.direction === kept.direction &&
    asked.amountCents === kept.amountCents &&
    asked.originatorName === kept.originatorName &&
    seals.decrypt(asked.accountNumber) === seals.decrypt(kept.accountNumber);
  if (isSame) return;
  throw new Refusal(
    "simulation_not_applicable",
    "The bank has used this reference for another payment of this book. Send another reference, or none.",
    { context: { bankReference: asked.bankReference } },
  );
}
