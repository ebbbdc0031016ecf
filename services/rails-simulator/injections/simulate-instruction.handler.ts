import { Controller } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { OrderStatus } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { SimulateInstruction } from "../../../contracts/messages/rails.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import {
  type Injection,
  injectionFor,
  notApplicable,
  stepsOfInjection,
} from "../instructions/domain/injection.ts";
import { nextDueAt, saidOf, schedule } from "../instructions/domain/schedule.ts";
import {
  type Found,
  keepInjection,
  lockInstructions,
  setNextDue,
} from "../instructions/store/instructions.ts";
import { dropUnsaid, insertSteps, readSteps } from "../instructions/store/steps.ts";
import { sayFirst, tell } from "../instructions/publish-rail-events.ts";

type Simulation = z.output<typeof SimulateInstruction.data>;
type Result = z.output<typeof SimulateInstruction.reply>;

/** Statuses of an order that its rail may still hear of. */
const ahead: ReadonlySet<OrderStatus> = new Set(["Draft", "Submitted", "Pending", "Processing"]);

/** QA makes a rail do something to one order of a Test book: kept until hand-off, or applied at once. */
@Controller()
export class InjectFault {
  readonly #requester: RpcClient;
  readonly #units: UnitOfWorkRunner;

  constructor(requester: RpcClient, units: UnitOfWorkRunner) {
    this.#requester = requester;
    this.#units = units;
  }

  /**
   * @throws Refusal `simulation_requires_test_key`; `not_found` for an order that is not the caller's book's;
   * `simulation_not_applicable` for what can't happen to it, naming what can.
   */
  @HandlesRequest(SimulateInstruction)
  async simulate(simulation: Simulation, ask: RequestContext) {
    if (ask.caller.mode !== "Test") {
      throw new Refusal("simulation_requires_test_key", "Only Test books are simulated. Use a test key.");
    }
    const operation = { name: "simulate-instruction", resourceId: (result: Result) => result.paymentOrderId };
    return this.#units.run((unit) =>
      // Asked behind the look-up of the key: a repeat gets its answer whatever became of the order.
      withIdempotency(unit, ask, operation, async () =>
        inject(unit, ask, await this.#orderOf(simulation, ask), simulation),
      ),
    );
  }

  async #orderOf({ orderId }: Simulation, { caller, traceparent }: RequestContext): Promise<PaymentOrder> {
    const { value } = await this.#requester.ask(GetOrder, { caller, traceparent }, { id: orderId });
    return value;
  }
}

/** Keeps or applies one injection. The instruction's row decides which, not the order's status of a moment ago. */
export async function inject(
  unit: UnitOfWork,
  ask: RequestContext,
  order: PaymentOrder,
  simulation: Simulation,
): Promise<Result> {
  const injection = injectionFor(order.rail, order.direction, simulation);
  const { force = false } = simulation;
  if (!force) refuseWhatHasEnded(order, injection);
  const result = { paymentOrderId: order.id, action: injection.action, code: injection.code };
  if (ahead.has(order.status) && (await keepInjection(unit.sql, ask.caller.book, order.id, injection))) {
    return { ...result, effect: "Kept" };
  }
  const [found] = await lockInstructions(unit.sql, [order.id]);
  if (found?.state !== "AtRail") {
    throw notApplicable(`The order is ${order.status} and was never at its rail.`, {
      currentStatus: order.status,
    });
  }
  await applyAtRail(unit, ask, found, injection, force);
  return { ...result, effect: "Applied" };
}

function refuseWhatHasEnded({ status }: PaymentOrder, { action }: Injection): void {
  if (ahead.has(status) || status === "Completed") return;
  throw notApplicable(`The order is ${status}: ${action} can't happen to it any more.`, {
    currentStatus: status,
  });
}

/** Replaces what the rail was going to say; what it has said stays said. */
async function applyAtRail(
  unit: UnitOfWork,
  ask: RequestContext,
  { instruction }: Extract<Found, { state: "AtRail" }>,
  injection: Injection,
  force: boolean,
): Promise<void> {
  const at = new Date();
  const { orderId } = instruction;
  const known = (await readSteps(unit.sql, [orderId])).get(orderId) ?? [];
  const before = saidOf(known);
  const steps = stepsOfInjection(
    before.map(({ event }) => event),
    injection,
    force,
  );
  const scheduled = schedule(steps, before.length + 1, at);
  await dropUnsaid(unit.sql, orderId);
  await insertSteps(unit.sql, [{ orderId, steps: scheduled }]);
  await setNextDue(unit.sql, [{ orderId, nextDueAt: nextDueAt(scheduled) }]);
  if (steps.length === 0) tell(unit.outbox, instruction, before, ask);
  else await sayFirst(unit, [{ instruction, before, now: saidOf(scheduled), cause: ask }]);
}
