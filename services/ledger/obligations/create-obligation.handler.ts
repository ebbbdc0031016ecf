import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  ObligationCreate,
  ObligationPatch,
  ObligationWithHistory,
} from "../../../contracts/http/ledger/obligations.ts";
import { type CounterpartyId, isId, newId, creationTimeOf } from "../../../contracts/ids/ids.ts";
import {
  CreateObligation as CreateObligationRequest,
  EditObligation,
} from "../../../contracts/messages/obligations.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { findReplay, withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { rejectCounterparty } from "../accounts/named-counterparty.ts";
import { withMaker, type Obligation } from "../book/obligation.ts";
import { readObligationView } from "./query-obligations.handler.ts";
import { createBooks, hasBook, refuseFrozen } from "../posting/store/lock-books.ts";
import { insertObligation, saveObligation } from "../posting/store/obligations.ts";
import { requireStatus, type ObligationTarget, ObligationWriter } from "./with-locked-obligation.ts";

/** Records a liability while its figures may still change. Nothing is booked yet. */
@Controller()
export class CreateObligation {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #obligations: ObligationWriter;
  readonly #rpc: RpcClient;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(ObligationWriter) obligations: ObligationWriter,
    @Inject(RpcClient) rpc: RpcClient,
  ) {
    this.#units = units;
    this.#database = database;
    this.#obligations = obligations;
    this.#rpc = rpc;
  }

  /**
   * Refusals: `not_found` (the payee is no counterparty of the book), `counterparty_archived`, `service_unavailable`
   * (the book is frozen), any refusal of orders but `service_unavailable`.
   */
  @HandlesRequest(CreateObligationRequest)
  async create(
    body: ObligationCreate,
    context: RequestContext,
  ): Promise<ObligationWithHistory | IdempotentReplay<ObligationWithHistory>> {
    const { book, tenant, mode } = context.caller;
    const operation = { name: "create-obligation", resourceId: ({ id }: ObligationWithHistory) => id };
    const replay = await findReplay<ObligationWithHistory>(this.#database.sql, context, operation);
    if (replay !== undefined) return replay;
    const refusal = await this.#rejectPayee(body.payeeCounterpartyId, context);
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        if (refusal !== null) throw refusal;
        const obligation = openObligation(body, context);
        await refuseFrozen(unit.sql, book);
        if (!(await hasBook(unit.sql, book))) await createBooks(unit.sql, [{ book, tenantId: tenant, mode }]);
        await insertObligation(unit.sql, obligation);
        return readObligationView(unit.sql, book, obligation.id);
      }),
    );
  }

  /**
   * An Open obligation can be edited freely; after its accrual only the payee can be set, and not while an order pays
   * it. Refusals: `not_found`, `precondition_failed`, `invalid_state_transition`, `counterparty_archived`; what orders
   * refuses with, as above.
   */
  @HandlesRequest(EditObligation)
  async edit({ patch, ...target }: ObligationTarget & { patch: ObligationPatch }, context: RequestContext) {
    const name = "edit-obligation";
    const replay = await findReplay<ObligationWithHistory>(this.#database.sql, context, { name });
    if (replay !== undefined) return replay;
    const refusal = await this.#rejectPayee(patch.payeeCounterpartyId, context);
    return this.#obligations.run(target, context, name, async (obligation, unit) => {
      if (refusal !== null) throw refusal;
      const { payeeCounterpartyId: payee, ...rest } = patch;
      if (Object.keys(rest).length > 0) {
        requireStatus(
          obligation,
          ["Open"],
          "Amend it to change what is booked; only its payee can still be edited.",
        );
      }
      requireStatus(
        obligation,
        ["Open", "Fixed", "Relieved"],
        "Set its payee when the order that pays it has ended.",
      );
      await saveObligation(unit.sql, {
        ...withMaker(obligation, context.caller.principal),
        reference: patch.reference ?? obligation.reference,
        jurisdiction: patch.jurisdiction === undefined ? obligation.jurisdiction : patch.jurisdiction,
        period: patch.period === undefined ? obligation.period : patch.period,
        lines: patch.lines ?? obligation.lines,
        payeeCounterpartyId: payee === undefined ? obligation.payeeCounterpartyId : payeeNamed(payee),
      });
    });
  }

  /**
   * Refuses a payee that is archived or not of this book, which would otherwise be noticed only when the money is due.
   * Any other refusal of orders refuses the request too, except `service_unavailable` (no instance is connected, or
   * orders is overloaded or without its database): then the obligation is recorded unchecked, and its remittance checks
   * everything about the payee.
   */
  async #rejectPayee(payee: string | null | undefined, context: RequestContext): Promise<Refusal | null> {
    if (payee === null || payee === undefined || !isId("cp", payee)) return null;
    const refusal = await rejectCounterparty(this.#rpc, context, {
      id: payee,
      pointer: "/payeeCounterpartyId",
    });
    return refusal?.code === "service_unavailable" ? null : refusal;
  }
}

function openObligation(body: ObligationCreate, { caller }: RequestContext): Obligation {
  const id = newId("ob");
  const createdAt = creationTimeOf(id);
  return {
    id,
    book: caller.book,
    type: body.type,
    status: "Open",
    reference: body.reference,
    jurisdiction: body.jurisdiction ?? null,
    period: body.period ?? null,
    payeeCounterpartyId: payeeNamed(body.payeeCounterpartyId ?? null),
    lines: body.lines,
    fixedCents: 0,
    paymentOrderId: null,
    remittance: null,
    eventCount: 0,
    createdBy: caller.principal,
    makers: [caller.principal],
    version: 1,
    createdAt,
    updatedAt: createdAt,
  };
}

/** Checks only the form of the id. The remittance checks that the counterparty is verified. */
function payeeNamed(id: string | null): CounterpartyId | null {
  if (id === null || isId("cp", id)) return id;
  throw new Refusal("not_found", "Send the id of a counterparty (`cp_…`) as the payee.", {
    errors: [{ pointer: "/payeeCounterpartyId", code: "not_found", message: "is not a counterparty's id" }],
  });
}
