import { Inject, Injectable } from "@nestjs/common";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { type Transition, start } from "../order/transition.ts";
import type { BookContext } from "../order/release-gate.ts";
import { viewOf } from "../order/order-view.ts";
import { lockDailyLimitShared } from "../store/daily-usage.ts";
import { lockOrders, readHistory } from "../store/payment-orders.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import { saveTransitions } from "../lifecycle/save-transitions.ts";

/**
 * What submit, approve, deny and cancel share: lock the one order, decide, write, answer with what it became. The row lock
 * is the referee: of a cancel and a hand-off that meet here, the second sees what the first did.
 */
@Injectable()
export class WithLockedOrder {
  readonly #units: UnitOfWorkRunner;
  readonly #contexts: BookContexts;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(BookContexts) contexts: BookContexts,
  ) {
    this.#units = units;
    this.#contexts = contexts;
  }

  /** `decide` changes the advance or throws a `Refusal`; then nothing is written, and a key is free again. */
  run(
    id: string,
    request: RequestContext,
    name: string,
    decide: (advance: Transition, context: BookContext, sql: Sql) => void | Promise<void>,
  ): Promise<PaymentOrderView | IdempotentReplay<PaymentOrderView>> {
    return this.#units.run((unit) =>
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
        const advance = start(order);
        await decide(advance, context, unit.sql);
        await saveTransitions(unit, [{ advance, cause: request }]);
        const history = await readHistory(unit.sql, [advance.order]);
        return viewOf(advance.order, history.get(id) ?? []);
      }),
    );
  }
}
