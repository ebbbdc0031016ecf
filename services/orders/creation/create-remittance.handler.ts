import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { CreateRemittance as CreateRemittanceRequest } from "../../../contracts/messages/obligations.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import { applyAll, draftCreated } from "../order/transition.ts";
import { madeBy } from "../order/approvals.ts";
import type { CounterpartySnapshot } from "../order/counterparty.ts";
import { withCounterpartyDetails } from "../order/counterparty-snapshot.ts";
import { newDraft, type OrderTerms, type PaymentOrder } from "../order/payment-order.ts";
import { lookUpCounterparties } from "./counterparty-lookup.ts";
import { lockDailyLimitShared } from "../store/daily-usage.ts";
import { Submission } from "./submit.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import { insertTransitions } from "../lifecycle/save-transitions.ts";

type Remittance = z.output<(typeof CreateRemittanceRequest)["data"]>;

/**
 * Creates the one order that pays an obligation. The ledger requests it and chooses its id and amount. From here on it
 * is an order like any other, with every control of a submission, approvals, limits and windows.
 */
@Controller()
export class CreateRemittance {
  readonly #units: UnitOfWorkRunner;
  readonly #submission: Submission;
  readonly #contexts: BookContexts;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Submission) submission: Submission,
    @Inject(BookContexts) contexts: BookContexts,
  ) {
    this.#units = units;
    this.#submission = submission;
    this.#contexts = contexts;
  }

  /**
   * Idempotent: the ledger uses the order's id as its key. If the order is refused, nothing is stored. Refusals:
   * `obligation_not_payable` if the payee is not in the book, and those of every control of a submission.
   */
  @HandlesRequest(CreateRemittanceRequest)
  create(remittance: Remittance, request: RequestContext) {
    const operation = { name: "create-remittance", resourceId: ({ id }: { id: string }) => id };
    return this.#units.runFor(request, (unit) =>
      withIdempotency(unit, request, operation, () => this.#submit(unit, remittance, request)),
    );
  }

  async #submit(unit: UnitOfWork, remittance: Remittance, request: RequestContext) {
    const { book, principal } = request.caller;
    const draft = draftOf(remittance, request);
    const [, contextOf] = await pipeline(
      unit.sql,
      (sql) => lockDailyLimitShared(sql, [book]),
      (sql) => this.#contexts.of(sql, [book]),
    );
    const context = contextOf(draft);
    const payee = await findPayee(unit, draft);
    const usage = await this.#submission.lockUsage(unit.sql, [draft], () => context);
    // Whoever entered the payee's details decides where the money goes, so they don't approve it.
    const makers = [...(remittance.makers ?? []), ...(payee?.makers ?? [])];
    const made = makers.reduce((order, maker) => madeBy(maker, order), withCounterpartyDetails(draft, payee));
    const transition = applyAll(made, [
      (order) => draftCreated(order, context),
      (order) => this.#submission.submit(order, { counterparty: payee, principal }, context, usage),
    ]);
    insertTransitions(unit, [{ transition, cause: request }]);
    return { id: draft.id, status: transition.order.status };
  }
}

/** The tenant's request names only the obligation, whose payee was set earlier. So the refusal names the obligation. */
async function findPayee(unit: UnitOfWork, order: PaymentOrder): Promise<CounterpartySnapshot | null> {
  const find = await lookUpCounterparties(unit.sql, [order]);
  try {
    return find(order);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "not_found") throw error;
    throw new Refusal(
      "obligation_not_payable",
      `Its payee ${String(order.terms.counterpartyId)} is not in this book. Set payeeCounterpartyId to a counterparty of it.`,
    );
  }
}

function draftOf(
  remittance: Remittance,
  { caller, correlationid, traceparent }: RequestContext,
): PaymentOrder {
  const terms: OrderTerms = {
    direction: "Credit",
    rail: remittance.rail,
    amountCents: remittance.amountCents,
    currency: "USD",
    ledgerAccountId: remittance.ledgerAccountId,
    ledgerAccountName: remittance.ledgerAccountName,
    counterpartyId: remittance.counterpartyId,
    counterpartyName: null,
    counterpartyAccount: null,
    counterpartyLedgerAccountId: null,
    counterpartyRoutingNumber: null,
    externalId: null,
    description: `Pays ${remittance.reference}`,
    statementDescriptor: null,
    effectiveDate: null,
    purpose: null,
    basis: "Actual",
    metadata: {},
    obligationId: remittance.obligationId,
  };
  return newDraft(remittance.orderId, terms, caller, { correlationid, traceparent });
}
