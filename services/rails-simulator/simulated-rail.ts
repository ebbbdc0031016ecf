import { Injectable } from "@nestjs/common";
import { newYorkDate } from "../../contracts/banking-calendar.ts";
import type { PaymentOrderId } from "../../contracts/ids.ts";
import { canBeMagic } from "../../contracts/sandbox.ts";
import { InstructionUnknown } from "../../contracts/messages/rails.ts";
import type { Unit } from "../platform/messaging/unit.ts";
import { Seals } from "../platform/process/seals.ts";
import type { Injection } from "./domain/injection.ts";
import type { Instruction } from "./domain/instruction.ts";
import { railReferenceOf } from "./domain/rail-references.ts";
import { nextDueAt, saidOf, schedule, type ScheduledStep } from "./domain/schedule.ts";
import { scenarioOf } from "./domain/scenarios.ts";
import type { Inquiry, RailAdapter, Submission } from "./rail-adapter.ts";
import {
  fillHandOffs,
  type Found,
  type HandOff,
  insertHandOffs,
  lockInstructions,
} from "./store/instructions.ts";
import { insertSteps, markSaid, readSteps } from "./store/steps.ts";
import { sayFirst, tell } from "./tell-facts.ts";

/** An instruction with everything that the rail will say of it. */
interface Planned {
  readonly handOff: HandOff;
  readonly steps: readonly ScheduledStep[];
}

/** The rail of Test books: does what was injected, what a magic account number asks for, or settles. */
@Injectable()
export class SimulatedRail implements RailAdapter {
  readonly #seals: Seals;

  constructor(seals: Seals) {
    this.#seals = seals;
  }

  /**
   * Takes a batch of instructions. What is due at once is said in the same transaction, so that an instant rail costs
   * no further hop; the rest is rows for `RunDueSteps`.
   */
  async submit(submissions: readonly Submission[], unit: Unit, at = new Date()): Promise<void> {
    const byOrder = new Map<PaymentOrderId, Submission>();
    for (const submission of submissions) {
      if (!byOrder.has(submission.data.orderId)) byOrder.set(submission.data.orderId, submission);
    }
    const planned = [...byOrder.values()].map((submission) => this.#plan(submission, null, at));
    planned.sort((a, b) => (a.handOff.orderId < b.handOff.orderId ? -1 : 1));
    const stored = await insertHandOffs(
      unit.sql,
      planned.map(({ handOff }) => handOff),
    );
    const accepted = planned.filter(({ handOff }) => stored.has(handOff.orderId));
    const here = [...byOrder.keys()].filter((orderId) => !stored.has(orderId));
    if (here.length > 0) accepted.push(...(await this.#meetRows(here, byOrder, unit, at)));
    await accept(accepted, unit);
  }

  async inquire(inquiries: readonly Inquiry[], unit: Unit, at = new Date()): Promise<void> {
    const byOrder = new Map(inquiries.map((inquiry) => [inquiry.data.orderId, inquiry]));
    const found = await lockInstructions(unit.sql, [...byOrder.keys()]);
    const atRail = found.filter((row) => row.state === "AtRail");
    const known = new Set(atRail.map(({ instruction }) => instruction.orderId));
    for (const [orderId, inquiry] of byOrder) {
      if (known.has(orderId)) continue;
      unit.outbox.add(InstructionUnknown, {
        book: inquiry.book,
        subject: orderId,
        data: { orderId },
        cause: inquiry,
      });
    }
    await answer(atRail, byOrder, unit, at);
  }

  /** Orders with a row already: awaited with an injection, or known and told of again. */
  async #meetRows(
    orderIds: readonly PaymentOrderId[],
    byOrder: ReadonlyMap<PaymentOrderId, Submission>,
    unit: Unit,
    at: Date,
  ): Promise<Planned[]> {
    const found = await lockInstructions(unit.sql, orderIds);
    const awaited = found.flatMap((row) => {
      const submission = row.state === "Awaited" ? byOrder.get(row.orderId) : undefined;
      return row.state === "Awaited" && submission ? [this.#plan(submission, row.kept, at)] : [];
    });
    if (awaited.length > 0) {
      await fillHandOffs(
        unit.sql,
        awaited.map(({ handOff }) => handOff),
      );
    }
    await tellAgain(
      found.filter((row) => row.state === "AtRail"),
      byOrder,
      unit,
    );
    return awaited;
  }

  #plan(submission: Submission, kept: Injection | null, at: Date): Planned {
    const { orderId, rail, direction, amountCents, counterpartyAccountNumber, ...party } = submission.data;
    const accountNumber = canBeMagic(counterpartyAccountNumber.last4)
      ? this.#seals.open(counterpartyAccountNumber)
      : null;
    const scenario = scenarioOf({ rail, direction, accountNumber }, kept);
    const steps = schedule(scenario.steps, 1, at);
    const handOff: HandOff = {
      orderId,
      book: submission.book,
      rail,
      direction,
      amountCents,
      railReference: railReferenceOf(rail, orderId, newYorkDate(at)),
      counterpartyName: party.counterpartyName,
      counterpartyRoutingNumber: party.counterpartyRoutingNumber,
      counterpartyAccountNumber,
      statementDescriptor: party.statementDescriptor,
      reason: scenario.reason,
      submittedAt: at,
      nextDueAt: nextDueAt(steps),
      cause: submission,
    };
    return { handOff, steps };
  }
}

async function accept(accepted: readonly Planned[], unit: Unit): Promise<void> {
  await insertSteps(
    unit.sql,
    accepted.map(({ handOff, steps }) => ({ orderId: handOff.orderId, steps })),
  );
  await sayFirst(
    unit,
    accepted.map(({ handOff, steps }) => ({
      instruction: handOff,
      before: [],
      now: saidOf(steps),
      cause: handOff.cause,
    })),
  );
}

type AtRail = Extract<Found, { state: "AtRail" }>;

/** A repeated hand-off. The same reference for another payment would be one order paid as another: refused by name. */
async function tellAgain(
  found: readonly AtRail[],
  byOrder: ReadonlyMap<PaymentOrderId, Submission>,
  unit: Unit,
): Promise<void> {
  const steps = await readSteps(
    unit.sql,
    found.map(({ instruction }) => instruction.orderId),
  );
  for (const { instruction, cause } of found) {
    const submission = byOrder.get(instruction.orderId);
    if (submission !== undefined) refuseAnotherPayment(instruction, submission);
    tell(unit.outbox, instruction, saidOf(steps.get(instruction.orderId) ?? []), submission ?? cause);
  }
}

function refuseAnotherPayment(known: Instruction, { data }: Submission): void {
  if (
    known.rail === data.rail &&
    known.direction === data.direction &&
    known.amountCents === data.amountCents
  )
    return;
  throw new Error(
    `instruction ${known.orderId} was handed off before with another rail, direction or amount`,
  );
}

/** Says all again, and first what waited for the question. */
async function answer(
  found: readonly AtRail[],
  byOrder: ReadonlyMap<PaymentOrderId, Inquiry>,
  unit: Unit,
  at: Date,
): Promise<void> {
  const orderIds = found.map(({ instruction }) => instruction.orderId);
  const stepsByOrder = await readSteps(unit.sql, orderIds);
  const sayings = found.map(({ instruction, cause }) => {
    const steps = stepsByOrder.get(instruction.orderId) ?? [];
    const now = steps
      .filter(({ dueAt, saidAt }) => dueAt === null && saidAt === null)
      .map(({ number, fact }) => ({ number, fact, occurredAt: at }));
    return { instruction, before: saidOf(steps), now, cause: byOrder.get(instruction.orderId) ?? cause };
  });
  for (const { instruction, before, cause } of sayings) tell(unit.outbox, instruction, before, cause);
  const fresh = sayings.filter(({ now }) => now.length > 0);
  if (fresh.length === 0) return;
  const numbers = fresh.flatMap(({ instruction, now }) =>
    now.map(({ number }) => ({ orderId: instruction.orderId, number })),
  );
  await markSaid(unit.sql, numbers, at);
  await sayFirst(unit, fresh);
}
