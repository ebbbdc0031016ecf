import { Controller } from "@nestjs/common";
import type { z } from "zod";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { SimulateInstruction } from "../../../contracts/messages/rails.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { findReplay, withIdempotency } from "../../platform/rpc/idempotency.ts";
import { Database } from "../../platform/persistence/database.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";
import {
  type Injection,
  toInjection,
  notApplicable,
  injectedSteps,
} from "../instructions/domain/injection.ts";
import { lockAndReadBooks, readSimulatedBooks } from "../rules/store/simulated-books.ts";
import { timetableOf } from "../instructions/domain/timetable.ts";
import type { Step } from "../instructions/domain/step.ts";
import {
  nextDueAt,
  publishedEvents,
  publishSteps,
  schedule,
  type ScheduledStep,
} from "../instructions/domain/schedule.ts";
import {
  type StoredInstruction,
  savePendingInjection,
  lockInstructions,
  updateNextDue,
} from "../instructions/store/instructions.ts";
import { deleteUnpublished, insertSteps, markPublished, readSteps } from "../instructions/store/steps.ts";
import { receiveSettled } from "../instructions/receive-own-payments.ts";
import { publishNew, republish } from "../instructions/publish-rail-events.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";
import { beforeHandOff } from "./before-hand-off.ts";

type Simulation = z.output<typeof SimulateInstruction.data>;
type Result = z.output<typeof SimulateInstruction.reply>;

const operation = { name: "simulate-instruction", resourceId: (result: Result) => result.paymentOrderId };

/** A tester has the rail do something to a Test order: at hand-off if that is still to come, else at once. */
@Controller()
export class SimulateInstructionHandler {
  readonly #rpc: RpcClient;
  readonly #database: Database;
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;

  constructor(rpc: RpcClient, database: Database, units: UnitOfWorkRunner, cipher: SecretCipher) {
    this.#rpc = rpc;
    this.#cipher = cipher;
    this.#database = database;
    this.#units = units;
  }

  /**
   * Refusals: `simulation_requires_test_key`; `not_found` for an order of another book; `simulation_not_applicable` for
   * an action that is impossible for the order, with the possible ones.
   */
  @HandlesRequest(SimulateInstruction)
  async simulate(simulation: Simulation, context: RequestContext) {
    requireTestBook(context);
    // A replay does not depend on the order. The order is read before the transaction, which holds a connection.
    const replay = await findReplay<Result>(this.#database.sql, context, operation);
    if (replay !== undefined) return replay;
    const order = await this.#readOrder(simulation, context);
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const result = await inject(unit, context, order, simulation, this.#cipher);
        const { action, code, effect } = result;
        const { book, principal: actor } = context.caller;
        const done = {
          kind: "PaymentOrderSimulated",
          orderId: order.id,
          details: { action, code, effect },
        } as const;
        await insertLogEntries(unit.sql, [{ book, actor, ...done }]);
        return result;
      }),
    );
  }

  async #readOrder({ orderId }: Simulation, request: RequestContext): Promise<PaymentOrder> {
    const { caller, traceparent, deadline } = request;
    const { value } = await this.#rpc.request(GetOrder, { caller, traceparent, deadline }, { id: orderId });
    return value;
  }
}

/** Stores or applies one injection. The locked row of the instruction decides which, since the status may be stale. */
export async function inject(
  unit: UnitOfWork,
  context: RequestContext,
  order: PaymentOrder,
  simulation: Simulation,
  cipher: SecretCipher,
): Promise<Result> {
  const { time } = (await lockAndReadBooks(unit.sql, [context.caller]))(context.caller.book);
  const injection = toInjection(order, simulation, newYorkDate(time));
  const { force = false } = simulation;
  if (!force) rejectEndedOrder(order, injection);
  const result = { paymentOrderId: order.id, action: injection.action, code: injection.code };
  if (
    beforeHandOff.has(order.status) &&
    (await savePendingInjection(unit.sql, context.caller.book, order.id, injection))
  ) {
    return { ...result, effect: "Kept" };
  }
  const [found] = await lockInstructions(unit.sql, [order.id]);
  if (found?.state !== "AtRail") {
    throw notApplicable(`The order is ${order.status} and was never at its rail.`, {
      currentStatus: order.status,
    });
  }
  const effect = await applyAtRail(unit, context, found, { injection, force, cipher });
  return { ...result, effect };
}

function rejectEndedOrder({ status }: PaymentOrder, { action }: Injection): void {
  if (beforeHandOff.has(status) || status === "Completed") return;
  throw notApplicable(`The order is ${status}: ${action} can't happen to it any more.`, {
    currentStatus: status,
  });
}

/** Replaces the steps that have not happened yet. What the rail has published stays. */
async function applyAtRail(
  unit: UnitOfWork,
  context: RequestContext,
  { instruction, submittedAt }: Extract<StoredInstruction, { state: "AtRail" }>,
  { injection, force, cipher }: { injection: Injection; force: boolean; cipher: SecretCipher },
): Promise<Result["effect"]> {
  const { orderId } = instruction;
  const {
    time: at,
    clock,
    hasOwnClock,
  } = (await readSimulatedBooks(unit.sql, [instruction]))(instruction.book);
  const stored = (await readSteps(unit.sql, [orderId])).get(orderId) ?? [];
  const newSteps = injectedSteps(
    publishedEvents(stored).map(({ event }) => event),
    injection,
    timetableOf(instruction, clock.mode, at, submittedAt),
    force,
  );
  // Repeating a return leaves the unpublished steps as they are.
  if (newSteps.length === 0 && injection.action !== "accept") {
    republish(unit.outbox, instruction, stored, context);
    return "Repeat";
  }
  // A step that precedes a published one has happened, even if the rail has not reported it. Such a settlement is
  // published now; no second one is added.
  const happened = stored.slice(0, stored.findLastIndex(({ publishedAt }) => publishedAt !== null) + 1);
  const nextNumber = (happened.at(-1)?.number ?? 0) + 1;
  const overtaken = overtakenSettlement(happened, newSteps);
  const past = publishSteps(happened, overtaken, at);
  const isNew = ({ event }: Step) => overtaken.length === 0 || event.kind !== "Settled";
  const scheduled = schedule(newSteps.filter(isNew), nextNumber, at);
  const steps = [...past.steps, ...scheduled];
  await deleteUnpublished(unit.sql, orderId, nextNumber);
  await markPublished(
    unit.sql,
    overtaken.map(({ number }) => ({ orderId, number, at })),
  );
  await insertSteps(unit.sql, [{ orderId, steps: scheduled }]);
  await updateNextDue(unit.sql, [{ orderId, nextDueAt: nextDueAt(steps), hasOwnClock }]);
  if (newSteps.length === 0) {
    republish(unit.outbox, instruction, stored, context);
    return "Applied";
  }
  const now = [...past.now, ...publishedEvents(scheduled)];
  const reports = [{ instruction, steps, now, cause: context }];
  publishNew(unit, reports);
  await receiveSettled(unit, cipher, reports);
  return "Applied";
}

/** The settlement that has happened but was not published yet, if an injection has the payment settle. */
function overtakenSettlement(happened: readonly ScheduledStep[], newSteps: readonly Step[]): ScheduledStep[] {
  if (!newSteps.some(({ event }) => event.kind === "Settled")) return [];
  return happened.filter(({ event, publishedAt }) => event.kind === "Settled" && publishedAt === null);
}
