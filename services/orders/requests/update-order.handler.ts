import { asError } from "../../platform/as-error.ts";
import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { isId, type PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { UpdateOrder as UpdateOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { noSuchOrder } from "./with-locked-order.ts";
import { orderHash } from "../order/order-hash.ts";
import { viewOf } from "../order/order-view.ts";
import { patchedBody, type SealedPatch } from "../order/patch-draft.ts";
import type { FrozenFields, PaymentOrder } from "../order/payment-order.ts";
import { DraftOrder } from "./build-draft.ts";
import { withPayee } from "./payee-lookup.ts";
import { saveDraft } from "../store/drafts.ts";
import { lockOrders, readHistory, readOrder } from "../store/payment-orders.ts";

type Update = z.output<(typeof UpdateOrderRequest)["data"]>;

/** The fields that a patch leads to, and from which: or why there can be none. */
interface Patched {
  readonly from: string;
  readonly fields: FrozenFields | Error;
}

const mostTries = 5;

/** Changes a Draft. Whoever edits it is one of its makers from then on. */
@Controller()
export class UpdateOrder {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #drafts: DraftOrder;
  readonly #seals: AccountNumberCipher;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(DraftOrder) drafts: DraftOrder,
    @Inject(AccountNumberCipher) seals: AccountNumberCipher,
  ) {
    this.#units = units;
    this.#database = database;
    this.#drafts = drafts;
    this.#seals = seals;
  }

  /**
   * Refusals: `not_found`, `order_frozen`, `invalid_field`, and those of the accounts that it names. Accounts are asked
   * of the ledger before the row is locked; a draft that somebody else has changed meanwhile is read again.
   */
  @HandlesRequest(UpdateOrderRequest)
  async update({ id, ...patch }: Update, ask: RequestContext) {
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const patched = await this.#patch(id, patch, ask);
      const answer = await this.#units.run((unit) =>
        withIdempotency(
          unit,
          ask,
          { name: "update-order", resourceId: (view: PaymentOrderView) => view.id },
          () => this.#write(unit, id, patched, ask),
        ).catch(unlessChanged),
      );
      if (answer !== undefined) return answer;
    }
    throw new Refusal(
      "service_unavailable",
      "Others keep changing this order. Read it, and send the request again.",
    );
  }

  /** Undefined where there is no such Draft: the write says so, behind the look-up of the key. */
  async #patch(id: string, patch: SealedPatch, ask: RequestContext): Promise<Patched | undefined> {
    const found = isId("po", id) ? await readOrder(this.#database.sql, ask.caller.book, id) : undefined;
    if (found?.order.phase !== "Draft") return undefined;
    const { frozen } = found.order;
    try {
      const body = patchedBody(frozen, patch, (text) => this.#seals.encrypt(text));
      return { from: orderHash(frozen), fields: await this.#drafts.fieldsOf(body, ask) };
    } catch (error) {
      return { from: orderHash(frozen), fields: asError(error) };
    }
  }

  async #write(
    unit: UnitOfWork,
    id: string,
    patched: Patched | undefined,
    ask: RequestContext,
  ): Promise<PaymentOrderView> {
    const draft = await lockDraft(unit, id, ask);
    if (patched === undefined || patched.from !== orderHash(draft.frozen)) throw new ChangedMeanwhile();
    if (patched.fields instanceof Error) throw patched.fields;
    const [history, fields] = await Promise.all([
      readHistory(unit.sql, [draft]),
      withPayee(unit.sql, { book: draft.book, frozen: patched.fields }),
    ]);
    const edited = editedBy(ask.caller.principal, draft, fields);
    if (edited !== draft) await saveDraft(unit.sql, edited);
    return viewOf(edited, history.get(draft.id) ?? []);
  }
}

/** Another edit came between reading the draft and locking it. */
class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";
}

function unlessChanged(error: unknown): undefined {
  if (error instanceof ChangedMeanwhile) return undefined;
  throw error;
}

async function lockDraft(unit: UnitOfWork, id: string, ask: RequestContext): Promise<PaymentOrder> {
  if (!isId("po", id)) throw noSuchOrder();
  const orderId: PaymentOrderId = id;
  const draft = (await lockOrders(unit.sql, [{ book: ask.caller.book, id: orderId }])).get(orderId);
  if (draft === undefined) throw noSuchOrder();
  if (draft.phase === "Draft") return draft;
  throw new Refusal(
    "order_frozen",
    `This order is ${draft.status}: its fields froze when it was submitted or cancelled. Cancel it where it can be, and create another.`,
    { context: { currentStatus: draft.status, allowedStatuses: ["Draft"] } },
  );
}

/** An edit that changes nothing makes nobody a maker. */
function editedBy(principal: string, draft: PaymentOrder, frozen: FrozenFields): PaymentOrder {
  if (orderHash(frozen) === orderHash(draft.frozen)) return draft;
  const { makers } = draft.progress;
  return {
    ...draft,
    frozen,
    progress: {
      ...draft.progress,
      makers: makers.includes(principal) ? makers : [...makers, principal],
    },
    updatedAt: new Date(),
  };
}
