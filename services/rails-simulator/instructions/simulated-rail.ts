import { Injectable } from "@nestjs/common";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { canBeMagic } from "../../../contracts/sandbox.ts";
import { InstructionUnknown } from "../../../contracts/messages/rails.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import type { Injection } from "./domain/injection.ts";
import type { Instruction } from "./domain/instruction.ts";
import { railReferenceOf } from "./domain/rail-references.ts";
import { nextDueAt, saidOf, schedule, type ScheduledStep } from "./domain/schedule.ts";
import { scenarioOf } from "./domain/scenarios.ts";
import type { Handed, Inquiry, RailAdapter, Submission } from "./rail-adapter.ts";
import {
  fillHandOffs,
  type Found,
  type HandOff,
  insertHandOffs,
  lockInstructions,
} from "./store/instructions.ts";
import { insertSteps, markSaid, readSteps } from "./store/steps.ts";
import { sayFirst, tell } from "./publish-rail-events.ts";

/** An instruction with everything that the rail will say of it. */
interface Planned {
  readonly handOff: HandOff;
  readonly steps: readonly ScheduledStep[];
}

/** The rail of Test books: does what was injected, what a magic account number asks for, or settles. */
@Injectable()
export class SimulatedRail implements RailAdapter {
  readonly #seals: AccountNumberCipher;

  constructor(seals: AccountNumberCipher) {
    this.#seals = seals;
  }

  /**
   * Takes a batch. What is due at once is said in the same transaction, so that an instant rail costs no further hop;
   * the rest is rows for `RunDueSteps`. Lock order: new rows go in first, by order id; then every row that was there
   * before is locked, by order id, for submissions and inquiries together. Whoever inserts holds nothing that another
   * could wait for but rows that it inserted, so no two batches wait for each other.
   */
  async take({ submissions, inquiries }: Handed, unit: UnitOfWork, at = new Date()): Promise<void> {
    const handed = new Map<PaymentOrderId, Submission>();
    for (const submission of submissions) {
      if (!handed.has(submission.data.orderId)) handed.set(submission.data.orderId, submission);
    }
    const asked = new Map(inquiries.map((inquiry) => [inquiry.data.orderId, inquiry]));
    const fresh = await this.#insert([...handed.values()], unit, at);
    const isFresh = new Set(fresh.map(({ handOff }) => handOff.orderId));
    const before = [...new Set([...handed.keys(), ...asked.keys()])].filter((id) => !isFresh.has(id));
    const found = before.length === 0 ? [] : await lockInstructions(unit.sql, before);
    const awaited = await this.#fillAwaited(found, handed, unit, at);
    const accepted = [...fresh, ...awaited];
    await accept(accepted, unit);
    const known = found.filter((row) => row.state === "AtRail");
    await tellAgain(
      known.filter(({ instruction }) => handed.has(instruction.orderId)),
      handed,
      unit,
    );
    const atRail = [
      ...known,
      ...accepted.map(({ handOff }) => ({ instruction: handOff, cause: handOff.cause })),
    ];
    await answer(
      atRail.filter(({ instruction }) => asked.has(instruction.orderId)),
      asked,
      unit,
      at,
    );
  }

  /** Stores the instructions that nobody knows yet, and gives those. */
  async #insert(submissions: readonly Submission[], unit: UnitOfWork, at: Date): Promise<Planned[]> {
    if (submissions.length === 0) return [];
    const planned = submissions.map((submission) => this.#plan(submission, null, at));
    planned.sort((a, b) => (a.handOff.orderId < b.handOff.orderId ? -1 : 1));
    const stored = await insertHandOffs(
      unit.sql,
      planned.map(({ handOff }) => handOff),
    );
    return planned.filter(({ handOff }) => stored.has(handOff.orderId));
  }

  /** Hands off what was awaited with an injection. */
  async #fillAwaited(
    found: readonly Found[],
    handed: ReadonlyMap<PaymentOrderId, Submission>,
    unit: UnitOfWork,
    at: Date,
  ): Promise<Planned[]> {
    const awaited = found.flatMap((row) => {
      const submission = row.state === "Awaited" ? handed.get(row.orderId) : undefined;
      return row.state === "Awaited" && submission ? [this.#plan(submission, row.kept, at)] : [];
    });
    if (awaited.length > 0) {
      await fillHandOffs(
        unit.sql,
        awaited.map(({ handOff }) => handOff),
      );
    }
    return awaited;
  }

  #plan(submission: Submission, kept: Injection | null, at: Date): Planned {
    const { orderId, rail, direction, amountCents, counterpartyAccountNumber, ...party } = submission.data;
    const accountNumber = canBeMagic(counterpartyAccountNumber.last4)
      ? this.#seals.decrypt(counterpartyAccountNumber)
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

async function accept(accepted: readonly Planned[], unit: UnitOfWork): Promise<void> {
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

type AtRail = Pick<Extract<Found, { state: "AtRail" }>, "instruction" | "cause">;

/** A repeated hand-off. The same reference for another payment would be one order paid as another: refused by name. */
async function tellAgain(
  found: readonly AtRail[],
  byOrder: ReadonlyMap<PaymentOrderId, Submission>,
  unit: UnitOfWork,
): Promise<void> {
  if (found.length === 0) return;
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

/** Says all again, and first what waited for the question; of what is not at this rail, that it is unknown. */
async function answer(
  found: readonly AtRail[],
  byOrder: ReadonlyMap<PaymentOrderId, Inquiry>,
  unit: UnitOfWork,
  at: Date,
): Promise<void> {
  const orderIds = found.map(({ instruction }) => instruction.orderId);
  const known = new Set(orderIds);
  for (const [orderId, inquiry] of byOrder) {
    if (known.has(orderId)) continue;
    const { book, subject } = inquiry;
    unit.outbox.add(InstructionUnknown, { book, subject, data: { orderId }, cause: inquiry });
  }
  if (found.length === 0) return;
  const stepsByOrder = await readSteps(unit.sql, orderIds);
  const sayings = found.map(({ instruction, cause }) => {
    const steps = stepsByOrder.get(instruction.orderId) ?? [];
    const now = steps
      .filter(({ dueAt, saidAt }) => dueAt === null && saidAt === null)
      .map(({ number, event }) => ({ number, event, occurredAt: at }));
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
