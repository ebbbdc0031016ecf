import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { creationTimeOf } from "../../../contracts/ids/ids.ts";
import { CreateRemittance as CreateRemittanceRequest } from "../../../contracts/messages/obligations.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import { draftEntry } from "./create-order.handler.ts";
import { start } from "../order/transition.ts";
import type { Counterparty } from "../order/counterparty.ts";
import { setPayee } from "../order/payee.ts";
import { initialProgress, type PaymentOrder } from "../order/payment-order.ts";
import { lookUpPayees } from "./payee-lookup.ts";
import { lockDailyLimitShared } from "../store/daily-usage.ts";
import { insertOrders } from "../store/payment-orders.ts";
import { Submission } from "./submit.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import { insertHistoryAndPublish } from "../lifecycle/save-transitions.ts";

type Remittance = z.output<(typeof CreateRemittanceRequest)["data"]>;

/**
 * Makes the one order that pays an obligation, for the ledger, which chose its id and amount. It is an order as any other
 * from here on: every control of a submission counts, then approvals, limits and windows.
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
   * Once, however often it is asked: the ledger's key is the order's id. Refusals: `obligation_not_payable` where the
   * payee is not in the book, and every control of a submission; then nothing is kept.
   */
  @HandlesRequest(CreateRemittanceRequest)
  create(remittance: Remittance, request: RequestContext) {
    const operation = { name: "create-remittance", resourceId: ({ id }: { id: string }) => id };
    return this.#units.run((unit) =>
      withIdempotency(unit, request, operation, () => this.#submit(unit, remittance, request)),
    );
  }

  async #submit(unit: UnitOfWork, remittance: Remittance, request: RequestContext) {
    const { book, principal } = request.caller;
    const advance = start(draftOf(remittance, request));
    const [, contextOf] = await pipeline(
      unit.sql,
      (sql) => lockDailyLimitShared(sql, [book]),
      (sql) => this.#contexts.of(sql, [book]),
    );
    const context = contextOf(advance.order);
    setPayee(advance, await payeeOf(unit, advance.order));
    advance.history.push(draftEntry(advance));
    const usage = await this.#submission.lockUsage(unit.sql, [advance.order], () => context);
    this.#submission.submit(advance, principal, context, usage);
    await Promise.all([
      insertOrders(unit.sql, [advance.order]),
      insertHistoryAndPublish(unit, [{ advance, cause: request }]),
    ]);
    return { id: advance.order.id, status: advance.order.status };
  }
}

/** The obligation names its payee long before it is paid, so here it is the obligation that is at fault. */
async function payeeOf(unit: UnitOfWork, order: PaymentOrder): Promise<Counterparty | null> {
  const find = await lookUpPayees(unit.sql, [order]);
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
  const now = creationTimeOf(remittance.orderId);
  return {
    id: remittance.orderId,
    book: caller.book,
    tenantId: caller.tenant,
    mode: caller.mode,
    phase: "Draft",
    status: "Draft",
    sequence: 0,
    terms: {
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
    },
    progress: { ...initialProgress(caller.principal), cause: { correlationid, traceparent } },
    dueAt: null,
    createdBy: caller.principal,
    createdAt: now,
    updatedAt: now,
  };
}
