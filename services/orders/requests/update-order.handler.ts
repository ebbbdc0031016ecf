import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { isId, type PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { UpdateOrder as UpdateOrderRequest } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { ConcurrencyLimit } from "../../platform/rpc/concurrency-limit.ts";
import { asError } from "../../platform/as-error.ts";
import { annotate, frozenFields } from "../order/annotations.ts";
import { madeBy } from "../order/approvals.ts";
import { orderHash } from "../order/order-hash.ts";
import { viewOf } from "../order/order-view.ts";
import { patchedBody, type EncryptedPatch } from "../order/patch-draft.ts";
import type { OrderTerms, PaymentOrder } from "../order/payment-order.ts";
import { BuildDraft } from "../creation/build-draft.ts";
import { termsWithCounterparty } from "../creation/counterparty-lookup.ts";
import { saveAnnotations } from "../store/annotations.ts";
import { saveDraft } from "../store/drafts.ts";
import { lockOrders, readHistory, readOrder } from "../store/payment-orders.ts";

type Update = z.output<(typeof UpdateOrderRequest)["data"]>;

/** The patched terms, or the refusal of the patch, and the hash of the terms that it was applied to. */
interface Patched {
  readonly from: string;
  readonly terms: OrderTerms | Error;
}

const maxAttempts = 5;
/** Per Draft and instance: an edit waits for the row with a connection that other tenants' requests need too. */
const maxEditsUnderWay = 4;

/**
 * Changes a Draft; whoever edits it becomes one of its makers. After the submission, changes description and metadata:
 * what was approved stays, so there are no new makers.
 */
@Controller()
export class UpdateOrder {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #drafts: BuildDraft;
  readonly #cipher: SecretCipher;
  readonly #underWay = new ConcurrencyLimit<string>(maxEditsUnderWay);

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(BuildDraft) drafts: BuildDraft,
    @Inject(SecretCipher) cipher: SecretCipher,
  ) {
    this.#units = units;
    this.#database = database;
    this.#drafts = drafts;
    this.#cipher = cipher;
  }

  /**
   * Refusals: `not_found`, `order_frozen`, `concurrent_update`, `invalid_field`, and those of the accounts that it
   * names. For a Draft the ledger is asked for accounts before the row is locked. If somebody else changed the Draft in
   * the meantime, it is read again.
   */
  @HandlesRequest(UpdateOrderRequest)
  async update(update: Update, request: RequestContext) {
    const key = `${request.caller.book} ${update.id}`;
    if (!this.#underWay.enter(key)) throw concurrentUpdate();
    try {
      return await this.#tryUpdate(update, request);
    } finally {
      this.#underWay.leave(key);
    }
  }

  async #tryUpdate({ id, ...patch }: Update, request: RequestContext) {
    for (let tries = 1; tries <= maxAttempts; tries += 1) {
      const patched = await this.#patch(id, patch, request);
      const answer = await this.#units.runFor(request, (unit) =>
        withIdempotency(
          unit,
          request,
          { name: "update-order", resourceId: (view: PaymentOrderView) => view.id },
          () => this.#write(unit, { id, patch, patched }, request),
        ).catch(unlessChanged),
      );
      if (answer !== undefined) return answer;
    }
    throw concurrentUpdate();
  }

  /**
   * Undefined if there is no such Draft. `#write` decides then, because a stored answer of the key comes first.
   */
  async #patch(id: string, patch: EncryptedPatch, request: RequestContext): Promise<Patched | undefined> {
    const found = isId("po", id) ? await readOrder(this.#database.sql, request.caller.book, id) : undefined;
    if (found?.order.phase !== "Draft") return undefined;
    const { terms } = found.order;
    try {
      const body = patchedBody(terms, patch, (text) => this.#cipher.encrypt(text));
      return { from: orderHash(terms), terms: await this.#drafts.termsOf(body, request) };
    } catch (error) {
      return { from: orderHash(terms), terms: asError(error) };
    }
  }

  async #write(
    unit: UnitOfWork,
    { id, patch, patched }: { id: string; patch: EncryptedPatch; patched: Patched | undefined },
    request: RequestContext,
  ): Promise<PaymentOrderView> {
    const draft = await lockOrder(unit, id, request);
    if (draft.phase !== "Draft") return changeAnnotations(unit, draft, patch, request);
    if (patched === undefined || patched.from !== orderHash(draft.terms)) throw new DraftChanged();
    if (patched.terms instanceof Error) throw patched.terms;
    const [history, terms] = await Promise.all([
      readHistory(unit.sql, [draft]),
      termsWithCounterparty(unit.sql, draft, patched.terms),
    ]);
    const edited = editedBy(request.caller.principal, draft, terms);
    if (edited !== draft) await saveDraft(unit.sql, edited);
    return viewOf(edited, history.get(draft.id) ?? []);
  }
}

function concurrentUpdate(): Refusal {
  return new Refusal(
    "concurrent_update",
    "Other requests are changing this order. Read it, and send your change again.",
  );
}

/** The Draft was edited between reading and locking it. */
class DraftChanged extends Error {
  override readonly name = "DraftChanged";
}

function unlessChanged(error: unknown): undefined {
  if (error instanceof DraftChanged) return undefined;
  throw error;
}

async function lockOrder(unit: UnitOfWork, id: string, request: RequestContext): Promise<PaymentOrder> {
  if (!isId("po", id)) throw notFound("payment order");
  const orderId: PaymentOrderId = id;
  const order = (await lockOrders(unit.sql, [{ book: request.caller.book, id: orderId }])).get(orderId);
  if (order === undefined) throw notFound("payment order");
  return order;
}

async function changeAnnotations(
  unit: UnitOfWork,
  order: PaymentOrder,
  patch: EncryptedPatch,
  { caller: { principal } }: RequestContext,
): Promise<PaymentOrderView> {
  refuseFrozen(order, frozenFields(patch));
  const annotated = annotate(order, patch, { principal, now: realTime() });
  if (annotated !== null) await saveAnnotations(unit.sql, annotated.order, annotated.change);
  const history = await readHistory(unit.sql, [order]);
  return viewOf(annotated?.order ?? order, history.get(order.id) ?? []);
}

function refuseFrozen({ status }: PaymentOrder, frozen: readonly string[]): void {
  if (frozen.length === 0) return;
  const message = "can't change after the order is submitted or cancelled";
  throw new Refusal(
    "order_frozen",
    `This order is ${status}: only its description and metadata can still change. If it can be cancelled, cancel it and create another.`,
    {
      errors: frozen.map((field) => ({ pointer: `/${field}`, code: "order_frozen", message })),
      context: { currentStatus: status, allowedStatuses: ["Draft"] },
    },
  );
}

/** An edit that changes nothing does not make its principal a maker. */
function editedBy(principal: string, draft: PaymentOrder, terms: OrderTerms): PaymentOrder {
  if (orderHash(terms) === orderHash(draft.terms)) return draft;
  return { ...madeBy(principal, draft), terms, updatedAt: realTime() };
}
