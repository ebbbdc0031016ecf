import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext, OrderOnTest } from "../../../test/stack/orders/payment-order.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import type { IncomingEvent } from "./apply-event.ts";
import { completeIfDelayOver, transition } from "./transition.ts";
import type { BookContext } from "./book-context.ts";
import { type CommandName, type EventTrigger, stepFor } from "./lifecycle.ts";
import { withApprovals } from "./approvals.ts";
import { orderHash } from "./order-hash.ts";

/** Run again with SEED=<the number in a failing test's name>. */
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

/** The events of the bank and the ledger for one order, and the phase that it must end in. */
interface Plan {
  readonly name: string;
  readonly rail: Rail;
  readonly clock?: BookContext["clock"];
  readonly holdRefused?: boolean;
  readonly railEvents: readonly IncomingEvent[];
  /** Published only once the order is final. */
  readonly lateRailEvents?: readonly IncomingEvent[];
  readonly ends: { status: string; return: string | null; moved: boolean; unexpected: readonly string[] };
}

const returned = (number: number, code = "R02"): IncomingEvent => ({
  trigger: "InstructionReturned",
  detail: {
    number,
    return: {
      id: idOf("ret", "019c0000-0000-7000-8000-0000000000b1"),
      code,
      reason: "AccountClosed",
      traceNumber: "021000020000001",
      receivedAt: "2026-03-04T18:00:00.000Z",
    },
  },
});
const railEvent = (trigger: EventTrigger, number: number): IncomingEvent => ({ trigger, detail: { number } });
const accepted = railEvent("InstructionAccepted", 1);
const settled = railEvent("InstructionSettled", 2);
const unknown: IncomingEvent = { trigger: "InstructionUnknown", detail: {} };

const completed = { status: "Completed", return: null, moved: true, unexpected: [] };
const failed = { status: "Failed", return: null, moved: false, unexpected: [] };
const given = { status: "Returned", return: "R02 in time", moved: false, unexpected: [] };
const plans: Plan[] = [
  { name: "ACH settles", rail: "Ach", railEvents: [accepted, settled], ends: completed },
  {
    name: "ACH settles at once",
    rail: "Ach",
    clock: "Instant",
    railEvents: [accepted, settled],
    ends: completed,
  },
  { name: "RTP settles", rail: "Rtp", railEvents: [accepted, settled], ends: completed },
  {
    name: "RTP is forgotten, then settles",
    rail: "Rtp",
    railEvents: [unknown, accepted, settled],
    ends: completed,
  },
  { name: "Book settles", rail: "Book", railEvents: [], ends: completed },
  { name: "the ledger refuses the hold", rail: "Wire", holdRefused: true, railEvents: [], ends: failed },
  { name: "RTP rejects", rail: "Rtp", railEvents: [railEvent("InstructionFailed", 1)], ends: failed },
  {
    name: "USDC fails",
    rail: "Usdc",
    railEvents: [accepted, railEvent("InstructionFailed", 2)],
    ends: failed,
  },
  { name: "returned before settlement", rail: "Ach", railEvents: [accepted, returned(2)], ends: given },
  { name: "returned in its window", rail: "Ach", railEvents: [accepted, settled, returned(3)], ends: given },
  // Published on two subjects, a moment apart, so the return may be read first.
  {
    name: "returned late with the Instant clock",
    rail: "Ach",
    clock: "Instant",
    railEvents: [accepted, settled, returned(3)],
    ends: { status: "Completed", return: "R02 late", moved: false, unexpected: [] },
  },
  {
    name: "RTP rejects, and settles all the same",
    rail: "Rtp",
    railEvents: [railEvent("InstructionFailed", 1)],
    lateRailEvents: [settled],
    ends: { ...failed, unexpected: ["Settlement"] },
  },
  {
    name: "returned twice",
    rail: "Ach",
    railEvents: [accepted, returned(2)],
    lateRailEvents: [returned(3, "R03")],
    ends: { ...given, unexpected: ["Return"] },
  },
  {
    name: "returned late",
    rail: "SameDayAch",
    railEvents: [accepted, settled],
    lateRailEvents: [returned(3)],
    ends: { status: "Completed", return: "R02 late", moved: false, unexpected: [] },
  },
];

/** One order between a ledger and a rail that publish everything `copies` times, in the order that `pick` chooses. */
class Journey {
  readonly #plan: Plan;
  readonly #copies: number;
  readonly #context: BookContext;
  readonly #deferred: IncomingEvent[] = [];
  readonly pending: IncomingEvent[] = [];
  readonly payment: OrderOnTest;
  readonly parked: IncomingEvent[] = [];
  resubmissions = 0;
  #answered = 0;
  #instructed = false;
  #reportedLate = false;

  constructor(plan: Plan, copies: number) {
    this.#plan = plan;
    this.#copies = copies;
    this.#context = aBookContext(plan.clock === undefined ? {} : { clock: plan.clock });
    const draft = anOrderIn("Draft", { terms: { rail: plan.rail } });
    this.payment = new OrderOnTest(withApprovals(draft, { orderHash: orderHash(draft.terms) }));
    this.payment.take((order) => transition(order, "Submit", this.#context, { actor: "maker" }));
    this.#answerCommands();
  }

  run(pick: () => number, cancelAt = -1): this {
    for (let step = 0; ; step += 1) {
      if (step === cancelAt) this.#tryCancel();
      if (this.pending.length > 0) this.#deliver(this.pending.splice(pick() % this.pending.length, 1)[0]!);
      else if (!this.#passTime()) return this;
      if (step > 1_000) throw new Error("the order never becomes final");
    }
  }

  outcome() {
    const { status, progress } = this.payment.order;
    const { commands } = this.payment;
    const { return: back, unexpectedMovements } = progress.rail;
    return {
      status: status as string,
      return: back === null ? null : `${back.code} ${back.late ? "late" : "in time"}`,
      moved: commands.includes("SettleHold") && !commands.includes("PostLateReturn"),
      unexpected: unexpectedMovements.map(({ movement }) => movement as string),
    };
  }

  count(command: CommandName): number {
    return this.payment.commands.filter((name) => name === command).length;
  }

  waiting(): number {
    return this.#deferred.length;
  }

  #deliver(event: IncomingEvent): void {
    const reception = this.payment.receive(event.trigger, event.detail, this.#context);
    if (reception === "OutOfOrder") this.#deferred.push(event);
    if (reception === "Parked") this.parked.push(event);
    if (reception === "Applied" && event.trigger === "InstructionUnknown") this.resubmissions += 1;
    this.#answerCommands();
    // The phase of a deferred event may have come.
    if (reception === "Applied") for (const deferred of this.#deferred.splice(0)) this.#deliver(deferred);
  }

  #answerCommands(): void {
    for (const command of this.payment.commands.slice(this.#answered)) this.#answer(command);
    this.#answered = this.payment.commands.length;
    if (["Completed", "Failed", "Returned"].includes(this.payment.order.status) && !this.#reportedLate) {
      this.#reportedLate = true;
      this.#publish(this.#plan.lateRailEvents ?? []);
    }
  }

  #answer(command: CommandName): void {
    const ledgerEvents: Partial<Record<CommandName, EventTrigger>> = {
      PlaceHold: this.#plan.holdRefused === true ? "HoldRefused" : "HoldPlaced",
      SettleHold: "HoldSettled",
      ReleaseHold: "HoldReleased",
      PostLateReturn: "LateReturnPosted",
    };
    const trigger = ledgerEvents[command];
    if (trigger !== undefined) this.#publish([{ trigger, detail: {} }]);
    // The same instruction twice is one instruction.
    if (command !== "SubmitInstruction" || this.#instructed) return;
    this.#instructed = true;
    this.#publish(this.#plan.railEvents);
  }

  #publish(events: readonly IncomingEvent[]): void {
    for (let copy = 0; copy < this.#copies; copy += 1) this.pending.push(...events);
  }

  /** Weeks pass, so the completion delay is over. False if that changes nothing. */
  #passTime(): boolean {
    if (this.payment.order.phase !== "AwaitingReturns") return false;
    this.payment.take((order) =>
      completeIfDelayOver(order, { ...this.#context, now: new Date("2026-04-01T16:00:00.000Z") }),
    );
    this.#answerCommands();
    return true;
  }

  #tryCancel(): void {
    if (stepFor(this.payment.order.phase, "Cancel") === undefined) return;
    this.payment.take((order) => transition(order, "Cancel", this.#context, { actor: "maker" }));
    this.#answerCommands();
  }
}

const legalMoves = new Set([
  "Draft → Submitted",
  "Submitted → Pending",
  "Submitted → Failed",
  "Submitted → Cancelled",
  "Pending → Processing",
  "Pending → Cancelled",
  "Processing → Completed",
  "Processing → Failed",
  "Processing → Returned",
]);

/** Checks what must hold for every order, whatever came twice or out of order. */
function expectLawful(journey: Journey): void {
  const { history, events } = journey.payment;
  const moves = history.map(({ from, to }) => `${String(from)} → ${to}`);
  expect(moves.filter((move) => !legalMoves.has(move))).toEqual([]);
  expect(history.map(({ from }) => from)).toEqual(["Draft", ...history.slice(0, -1).map(({ to }) => to)]);
  expect(events.map(({ order }) => order.sequence)).toEqual(events.map((_, index) => index + 1));
  expect(journey.count("PlaceHold")).toBe(1);
  expect(journey.count("SettleHold") + journey.count("ReleaseHold")).toBeLessThanOrEqual(1);
  expect(journey.count("PostLateReturn")).toBeLessThanOrEqual(journey.count("SettleHold"));
  expect(journey.count("SubmitInstruction")).toBeLessThanOrEqual(1 + journey.resubmissions);
  expect(journey.count("PostToSuspense")).toBe(journey.outcome().unexpected.length);
  expect([journey.parked, journey.waiting()]).toEqual([[], 0]);
}

const anyPlan = fc.constantFrom(...plans.map(({ name }) => name));
const planOf = (name: string) => plans.find((plan) => plan.name === name)!;
const anyOrder = fc.infiniteStream(fc.nat());
const pickFrom = (stream: Iterator<number>) => () => stream.next().value as number;

describe(`events that come twice and in any order (seed ${String(seed)})`, () => {
  it.each(plans)("in order: $name", (plan) => {
    const journey = new Journey(plan, 1).run(() => 0);
    expect(journey.outcome()).toEqual(plan.ends);
    expectLawful(journey);
  });

  it("end as ordered events do, and each command is sent once", () => {
    fc.assert(
      fc.property(anyPlan, fc.integer({ min: 1, max: 3 }), anyOrder, (name, copies, stream) => {
        const journey = new Journey(planOf(name), copies).run(pickFrom(stream));
        expect(journey.outcome()).toEqual(planOf(name).ends);
        expectLawful(journey);
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it("with a cancel at any moment: the order is cancelled before it is handed off, or not at all", () => {
    fc.assert(
      fc.property(
        anyPlan,
        fc.integer({ min: 1, max: 2 }),
        fc.nat({ max: 8 }),
        anyOrder,
        (name, copies, at, stream) => {
          const journey = new Journey(planOf(name), copies).run(pickFrom(stream), at);
          expectLawful(journey);
          const cancelled = { status: "Cancelled", return: null, moved: false, unexpected: [] };
          expect([cancelled, planOf(name).ends]).toContainEqual(journey.outcome());
          // The rail never receives an order that is cancelled.
          expect(journey.outcome().status === "Cancelled" && journey.count("SubmitInstruction") > 0).toBe(
            false,
          );
        },
      ),
      { seed, numRuns: 500 },
    );
  });
});
