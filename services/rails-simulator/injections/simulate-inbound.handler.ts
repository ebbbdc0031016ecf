import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { InboundReceived, SimulateInbound } from "../../../contracts/messages/inbound.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";
import { notApplicable } from "../instructions/domain/injection.ts";
import { railReferenceOf, referenceText } from "../instructions/domain/rail-references.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";
import { type InboundTransfer, insertOnce } from "../instructions/store/inbound-transfers.ts";

type Simulation = z.output<typeof SimulateInbound.data>;
type Result = z.output<typeof SimulateInbound.reply>;

const hasCollections: Readonly<Record<Simulation["rail"], boolean>> = {
  Ach: true,
  SameDayAch: true,
  Rtp: false,
  Wire: false,
  Usdc: false,
};

/** Simulates an incoming payment or collection for a Test book: the bank books it and publishes `InboundReceived`. */
@Controller()
export class SimulateInboundHandler {
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#units = units;
    this.#cipher = cipher;
  }

  /**
   * If the bank has booked this bank reference, it publishes the same payment again. Refusals:
   * `simulation_requires_test_key`; `direction_not_supported` for a collection on a rail without collections;
   * `simulation_not_applicable` for the bank reference of another payment.
   */
  @HandlesRequest(SimulateInbound)
  simulate(simulation: Simulation, context: RequestContext) {
    requireTestBook(context);
    const { rail, direction } = simulation;
    if (direction === "Debit" && !hasCollections[rail]) {
      throw new Refusal(
        "direction_not_supported",
        `${rail} has no collections. Send a Credit, or use Ach or SameDayAch.`,
      );
    }
    const operation = { name: "simulate-inbound", resourceId: (result: Result) => result.bankReference };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => receive(unit, context, simulation, this.#cipher)),
    );
  }
}

async function receive(
  unit: UnitOfWork,
  context: RequestContext,
  simulation: Simulation,
  cipher: SecretCipher,
): Promise<Result> {
  const { book, tenant: tenantId, mode } = context.caller;
  const now = await readTimeIn(unit.sql, book);
  const { bankReference, accountNumber, ...details } = simulation;
  const requested: InboundTransfer = {
    ...details,
    book,
    bankReference: bankReference ?? referenceText(railReferenceOf(details.rail, newUuid(), now)),
    accountNumber,
    occurredAt: now,
  };
  const booked = await insertOnce(unit.sql, requested);
  rejectReusedBankReference(requested, booked, cipher);
  const { occurredAt: at, book: _book, ...transfer } = booked;
  const occurredAt = at.toISOString();
  unit.outbox.add(InboundReceived, {
    book,
    subject: transfer.bankReference,
    // The ciphertext of this request: it differs each time, although the number is the same.
    data: { ...transfer, accountNumber, tenantId, mode, currency: "USD", occurredAt },
    cause: context,
  });
  const { accountNumber: _number, ...shown } = transfer;
  const { rail, amountCents, bankReference: reference } = transfer;
  const logged = { rail, amountCents, bankReference: reference };
  await insertLogEntries(unit.sql, [
    { book, kind: "InboundPaymentSimulated", actor: context.caller.principal, details: logged },
  ]);
  return { ...shown, currency: "USD", occurredAt };
}

function rejectReusedBankReference(
  requested: InboundTransfer,
  booked: InboundTransfer,
  cipher: SecretCipher,
): void {
  const isSame =
    requested.rail === booked.rail &&
    requested.direction === booked.direction &&
    requested.amountCents === booked.amountCents &&
    requested.originatorName === booked.originatorName &&
    cipher.decrypt(requested.accountNumber) === cipher.decrypt(booked.accountNumber);
  if (isSame) return;
  throw notApplicable(
    "The bank has used this reference for another payment of this book. Send another reference, or none.",
    { bankReference: requested.bankReference },
    "/bankReference",
  );
}
