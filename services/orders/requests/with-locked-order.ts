import { Inject, Injectable } from "@nestjs/common";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import type { Transition } from "../order/transition.ts";
import type { BookContext } from "../order/book-context.ts";
import { viewOf } from "../order/order-view.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { lockDailyLimitShared } from "../store/daily-usage.ts";
import { lockOrders, readHistory } from "../store/payment-orders.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import { EndedOrders } from "../lifecycle/ended-orders.ts";
import { saveTransitions } from "../lifecycle/save-transitions.ts";

/**
 * Shared by submit, approve, deny, cancel and resolve: locks the order, decides, saves, and answers with the saved
 * order. The row lock serialises competing requests: if a cancel and a hand-off compete, the second sees what the
 * first did.
 */
@Injectable()
export class WithLockedOrder {
  readonly #units: UnitOfWorkRunner;
  readonly #contexts: BookContexts;
  readonly #ended: EndedOrders;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(EndedOrders) ended: EndedOrders,
  ) {
    this.#units = units;
    this.#contexts = contexts;
    this.#ended = ended;
  }

  /** If `decide` throws a `Refusal`, nothing is written and the Idempotency-Key can be used again. */
  run(
    id: string,
    request: RequestContext,
    name: string,
    decide: (order: PaymentOrder, context: BookContext, unit: UnitOfWork) => Transition | Promise<Transition>,
  ): Promise<PaymentOrderView | IdempotentReplay<PaymentOrderView>> {
    return this.#units.runFor(request, (unit) =>
      withIdempotency(unit, request, { name, resourceId: (view: PaymentOrderView) => view.id }, async () => {
        if (!isId("po", id)) throw notFound("payment order");
        const { book } = request.caller;
        const [, locked] = await pipeline(
          unit.sql,
          (sql) => lockDailyLimitShared(sql, [book]),
          (sql) => lockOrders(sql, [{ book, id }]),
        );
        const order = locked.get(id);
        if (order === undefined) throw notFound("payment order");
        const context = (await this.#contexts.of(unit.sql, [book]))(order);
        const transition = await decide(order, context, unit);
        saveTransitions(unit, [{ transition, cause: request }], this.#ended);
        const history = await readHistory(unit.sql, [order]);
        return viewOf(transition.order, history.get(id) ?? []);
      }),
    );
  }
}
