import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import { CONFIG, type OrdersConfig } from "../config.ts";
import { countingApprovals } from "../order/approvals.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import type { PublishedChange, Transition } from "../order/transition.ts";

const finalStatuses: ReadonlySet<PaymentOrder["status"]> = new Set([
  "Completed",
  "Failed",
  "Returned",
  "Cancelled",
]);

/** True if the status is final. Only a late return and its posting can still follow. */
export function isFinal({ status }: Pick<PaymentOrder, "status">): boolean {
  return finalStatuses.has(status);
}

/**
 * Logs orders at their end, and again at a late return: one line with the request, the trace and the times. Of
 * Completed orders it logs the share `COMPLETED_ORDERS_LOGGED`, of all others every one.
 * What happens on the way has a line per batch, which names no order.
 */
@Injectable()
export class EndedOrders {
  readonly #log: Logger;
  readonly #share: number;

  constructor(@Inject(LOG) log: Logger, @Inject(CONFIG) config: OrdersConfig) {
    this.#log = log;
    this.#share = config.COMPLETED_ORDERS_LOGGED;
  }

  /** Logs the orders that these transitions end, after their commit. */
  logAfterCommit(unit: UnitOfWork, transitions: readonly Transition[]): void {
    const ended = transitions
      .flatMap(({ events }) => events)
      .filter(({ order, previousStatus }) => isFinal(order) && this.#isLogged(order, previousStatus));
    if (ended.length === 0) return;
    unit.afterCommit(() => {
      for (const change of ended) this.#log.info(summaryOf(change), "order ended");
    });
  }

  /** An order that did not simply complete is always logged. */
  #isLogged({ status }: PaymentOrder, previousStatus: PaymentOrder["status"]): boolean {
    return status !== "Completed" || previousStatus === "Completed" || Math.random() < this.#share;
  }
}

/**
 * Names nobody, and shows no text of a tenant. In a book with a clock of its own, times of that clock say nothing about
 * how long anything took.
 */
function summaryOf({ order, at }: PublishedChange): object {
  const { approvals, ledger, rail, ending, timers, applied, cause } = order.progress;
  const isRealTime = at.getTime() === order.updatedAt.getTime();
  const msUntil = (time: string | null) =>
    time === null || !isRealTime ? null : Date.parse(time) - order.createdAt.getTime();
  return {
    orderId: order.id,
    book: order.book,
    requestId: cause?.correlationid,
    traceId: cause?.traceparent?.split("-")[1],
    rail: order.terms.rail,
    direction: order.terms.direction,
    status: order.status,
    statusChanges: order.sequence,
    heldAfterMs: msUntil(timers.pendingSince),
    settledAfterMs: msUntil(rail.settledAt),
    endedAfterMs: order.updatedAt.getTime() - order.createdAt.getTime(),
    approvalsRequired: approvals.required,
    approvalsReceived: countingApprovals(approvals).length,
    events: applied,
    ledgerTransactionId: ledger.transactionId,
    failureCode: ending.failure?.code,
    returnCode: rail.return?.code,
    resolvedAs: ending.resolution?.as,
  };
}
