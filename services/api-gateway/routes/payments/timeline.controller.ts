import { Controller, Get, Inject, Param } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { Refusal } from "../../../../contracts/errors.ts";
import {
  maxTimelineEntries,
  type PaymentOrderTimeline,
  paymentOrderTimeline,
  type TimelineEntry,
  type TimelineSource,
  timelineSource,
} from "../../../../contracts/http/payments/payment-order-timeline.ts";
import type { Scope } from "../../../../contracts/http/scopes.ts";
import { idOf, isId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { GetLedgerTransaction } from "../../../../contracts/messages/ledger-transactions.ts";
import { GetOrder } from "../../../../contracts/messages/orders.ts";
import { ListRailEvents } from "../../../../contracts/messages/rails.ts";
import { ListDeliveriesOfObject } from "../../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../../contracts/not-found.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import {
  entriesOfDeliveries,
  entriesOfOrder,
  entriesOfRail,
  entriesOfUnexpectedMovements,
  entriesOfTransaction,
  mergeTimeline,
} from "../domain/timeline.ts";

/** The scopes that open what is not the order's own. */
const scopes: readonly (readonly [TimelineSource, Scope])[] = [
  ["Ledger", "ledger:read"],
  ["Webhooks", "webhooks:read"],
];
/** An owner that takes longer is named as away: the rest is worth more now. */
const deadlineMs = 3_000;

/** Timelines of payment orders. The route asks every service that took part, all at once. */
@ApiTags("Payment orders")
@Controller("v1/payment-orders")
export class TimelineController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get(":id/timeline")
  @Operation({
    id: "getPaymentOrderTimeline",
    summary: "List what happened to a payment order",
    access: "orders:read",
    path: { id: "po" },
    answers: { status: 200, schema: paymentOrderTimeline, as: "The timeline" },
    readsAsList: true,
  })
  async read(@Param("id") id: string, @Http() http: HttpContext): Promise<PaymentOrderTimeline> {
    if (!isId("po", id)) throw notFound("payment order");
    const leftOut = scopes.flatMap(([source, scope]) =>
      http.known.scopes.has(scope) ? [] : [{ source, scope }],
    );
    const isOpen = (source: TimelineSource) => !leftOut.some((each) => each.source === source);
    const unavailable = new Set<TimelineSource>();
    const entriesFrom = async (source: TimelineSource, read: () => Promise<TimelineEntry[]>) => {
      if (!isOpen(source)) return [];
      return read().catch((error: unknown) => {
        if (!isAway(error)) throw error;
        unavailable.add(source);
        return [];
      });
    };
    const all = await Promise.all([
      entriesFrom("Orders", async () => {
        const order = await this.#services.read(GetOrder, http, { id }, { deadlineMs });
        return [...entriesOfOrder(order), ...(isOpen("Ledger") ? entriesOfUnexpectedMovements(order) : [])];
      }),
      entriesFrom("Ledger", () => this.#journals(id, http)),
      entriesFrom("Rails", async () =>
        entriesOfRail(await this.#services.read(ListRailEvents, http, { orderId: id }, { deadlineMs })),
      ),
      entriesFrom("Webhooks", async () => {
        // One more than are shown, so that `truncated` is true of deliveries alone, too.
        const asked = { objectId: id, limit: maxTimelineEntries + 1 };
        return entriesOfDeliveries(
          await this.#services.read(ListDeliveriesOfObject, http, asked, { deadlineMs }),
        );
      }),
    ]);
    const away = timelineSource.options.filter((source) => unavailable.has(source));
    return { paymentOrderId: id, ...mergeTimeline(all.flat()), unavailable: away, leftOut };
  }

  /** An order's transaction has its uuid. There is none before its hold. */
  async #journals(id: `po_${string}`, http: HttpContext): Promise<TimelineEntry[]> {
    const transaction = idOf("lt", uuidOf(id));
    try {
      return entriesOfTransaction(
        await this.#services.read(GetLedgerTransaction, http, { id: transaction }, { deadlineMs }),
      );
    } catch (error) {
      if (error instanceof Refusal && error.code === "not_found") return [];
      throw error;
    }
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Refusal && ["service_unavailable", "upstream_timeout"].includes(error.code);
}
