import { Controller, Inject } from "@nestjs/common";
import type { Logger } from "pino";
import type { LedgerTransactionId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { AnyFact } from "../../../contracts/message.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { Unit } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { LOG } from "../../platform/platform.module.ts";
import { type Advance, begin, receive, type Reception } from "../order/transition.ts";
import type { World } from "../order/release-gate.ts";
import { incomingOf, type OrderFact, orderFacts } from "./event-to-trigger.ts";
import { lockOrders } from "../store/payment-orders.ts";
import { forgetEarly, keepEarly, park, type ParkedFact, readEarly } from "../store/deferred-events.ts";
import { Worlds } from "./book-context.ts";
import { type Caused, writeAdvances } from "./save-transitions.ts";

/** What a batch leaves beside changed orders. */
interface Remains {
  readonly early: AnyFact[];
  readonly applied: AnyFact[];
  readonly parked: ParkedFact[];
}

/** Takes what the ledger and the rails tell of orders, and moves each along the lifecycle. */
@Controller()
export class AdvanceOrder {
  readonly #worlds: Worlds;
  readonly #log: Logger;
  readonly #parked;
  readonly #strays;

  constructor(@Inject(Worlds) worlds: Worlds, @Inject(LOG) log: Logger, @Inject(Metrics) metrics: Metrics) {
    this.#worlds = worlds;
    this.#log = log;
    this.#parked = metrics.counter("orders_parked_facts_total", "Facts that a person must decide on");
    this.#strays = metrics.counter(
      "orders_stray_movements_total",
      "Money that moved after its order was over",
    );
  }

  /**
   * Orders are locked in id order, then facts are applied in stream order. A fact for a later phase waits with its
   * order; one that fits no phase is parked for a person, because guessing would move money.
   */
  @Consumes(...orderFacts)
  async advance(facts: readonly OrderFact[], unit: Unit): Promise<void> {
    const keys = facts.map((fact) => ({ book: fact.book, id: fact.data.orderId }));
    // Sent together, run in this order: what is read is read under the locks.
    const [orders, worldOf, early] = await Promise.all([
      lockOrders(unit.sql, keys),
      this.#worlds.of(
        unit.sql,
        facts.map((fact) => fact.book),
      ),
      readEarly(unit.sql, keys),
    ]);
    const waiting = Map.groupBy(early as OrderFact[], (fact) => fact.data.orderId);
    const advances = new Map<PaymentOrderId, Caused>();
    const remains: Remains = { early: [], applied: [], parked: [] };
    for (const fact of facts) {
      const order = orders.get(fact.data.orderId);
      if (order === undefined) {
        this.#park(remains, fact, "there is no such order in this book");
        continue;
      }
      const known = advances.get(order.id) ?? { advance: begin(order) };
      advances.set(order.id, { ...known, cause: fact });
      const world = worldOf(order);
      if (this.#take(known.advance, fact, world, remains) === "Applied") {
        this.#takeWaiting(known.advance, waiting, world, remains);
      }
    }
    const moved = [...advances.values()].filter(
      ({ advance }) => advance.order !== orders.get(advance.order.id),
    );
    await writeAdvances(unit, moved);
    await keepEarly(unit.sql, remains.early);
    await forgetEarly(unit.sql, remains.applied);
    await park(unit.sql, remains.parked);
  }

  #take(advance: Advance, fact: OrderFact, world: World, remains: Remains): Reception {
    const phase = advance.order.phase;
    const reception = receive(advance, incomingOf(fact), world);
    if (reception === "Early") remains.early.push(fact);
    if (reception === "Parked") {
      this.#park(remains, fact, `${fact.type} fits nothing that can still come after ${phase}`);
    }
    if (reception === "Stray") this.#parkStray(remains, fact, advance);
    return reception;
  }

  /** Money may have moved that no order knows of: somebody is called, by the log and by the metric. */
  #park(remains: Remains, fact: OrderFact, reason: string, ledgerTransactionId?: LedgerTransactionId): void {
    remains.parked.push({ fact, reason, ledgerTransactionId });
    this.#parked.inc();
    this.#log.error(
      { factId: fact.id, type: fact.type, orderId: fact.data.orderId, reason, ledgerTransactionId },
      "a fact was parked",
    );
  }

  /** Money has moved that no account of the tenant's stands for: Suspense has it, and somebody is called. */
  #parkStray(remains: Remains, fact: OrderFact, { order }: Advance): void {
    this.#strays.inc();
    const stray = order.progress.strays?.at(-1);
    const reason = `${fact.type} moved money of an order that is over: it is in Suspense`;
    this.#park(remains, fact, reason, stray?.ledgerTransactionId);
  }

  /** A phase may be what an early fact has waited for; taking it may bring the phase of the next one. */
  #takeWaiting(
    advance: Advance,
    waiting: Map<PaymentOrderId, OrderFact[]>,
    world: World,
    remains: Remains,
  ): void {
    const inBatch = remains.early.filter((fact) => fact.subject === advance.order.id) as OrderFact[];
    const candidates = [...(waiting.get(advance.order.id) ?? []), ...inBatch];
    for (const fact of candidates) {
      const reception = receive(advance, incomingOf(fact), world);
      if (reception === "Early") continue;
      waiting.set(
        advance.order.id,
        (waiting.get(advance.order.id) ?? []).filter((other) => other.id !== fact.id),
      );
      const kept = remains.early.findIndex((other) => other.id === fact.id);
      if (kept >= 0) remains.early.splice(kept, 1);
      else remains.applied.push(fact);
      if (reception === "Parked")
        this.#park(remains, fact, `${fact.type} waited for a phase that never came`);
      if (reception === "Stray") this.#parkStray(remains, fact, advance);
      if (reception === "Applied") return this.#takeWaiting(advance, waiting, world, remains);
    }
  }
}
