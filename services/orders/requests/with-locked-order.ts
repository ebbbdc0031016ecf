import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import type { RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { type Advance, begin } from "../order/transition.ts";
import type { World } from "../order/release-gate.ts";
import { viewOf } from "../order/order-view.ts";
import { keepLimits } from "../store/daily-usage.ts";
import { lockOrders, readHistory } from "../store/payment-orders.ts";
import { Worlds } from "../lifecycle/book-context.ts";
import { writeAdvances } from "../lifecycle/save-transitions.ts";

/** There is no such order in the caller's book; another book's looks the same. */
export function noSuchOrder(): Refusal {
  return new Refusal(
    "not_found",
    "There is no payment order with this id in this book. Check the id and the key's mode.",
  );
}

/**
 * What submit, approve, deny and cancel share: lock the one order, decide, write, answer with what it became. The row lock
 * is the referee: of a cancel and a hand-off that meet here, the second sees what the first did.
 */
@Injectable()
export class ActOnOrder {
  readonly #units: UnitOfWorkRunner;
  readonly #worlds: Worlds;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(Worlds) worlds: Worlds) {
    this.#units = units;
    this.#worlds = worlds;
  }

  /** `decide` changes the advance or throws a `Refusal`; then nothing is written, and a key is free again. */
  run(
    id: string,
    ask: RequestContext,
    name: string,
    decide: (advance: Advance, world: World, sql: Sql) => void | Promise<void>,
  ): Promise<PaymentOrderView | IdempotentReplay<PaymentOrderView>> {
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, { name, resourceId: (view: PaymentOrderView) => view.id }, async () => {
        if (!isId("po", id)) throw noSuchOrder();
        const { book } = ask.caller;
        // Sent together, run in this order.
        const [, locked] = await Promise.all([
          keepLimits(unit.sql, [book]),
          lockOrders(unit.sql, [{ book, id }]),
        ]);
        const order = locked.get(id);
        if (order === undefined) throw noSuchOrder();
        const world = (await this.#worlds.of(unit.sql, [book]))(order);
        const advance = begin(order);
        await decide(advance, world, unit.sql);
        await writeAdvances(unit, [{ advance, cause: ask }]);
        const history = await readHistory(unit.sql, [advance.order]);
        return viewOf(advance.order, history.get(id) ?? []);
      }),
    );
  }
}
