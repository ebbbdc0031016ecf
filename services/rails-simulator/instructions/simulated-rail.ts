import { Injectable } from "@nestjs/common";
import type { BookId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { canBeMagic } from "../../../contracts/rails/magic-numbers.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { answerInquiries, republishSubmitted } from "./answer-inquiries.ts";
import { readIsSilent } from "../rules/store/outages.ts";
import { lockAndReadBooks, type SimulatedBooks } from "../rules/store/simulated-books.ts";
import type { Fault } from "./domain/faults.ts";
import type { Injection } from "./domain/injection.ts";
import { railReferenceOf } from "./domain/rail-references.ts";
import { nextDueAt, publishedEvents, schedule, type ScheduledStep } from "./domain/schedule.ts";
import { chooseScenario } from "./domain/scenarios.ts";
import { FaultRules } from "./fault-rules.ts";
import type { Inquiry, RailAdapter, RailBatch, Submission } from "./rail-adapter.ts";
import {
  updateHandOffs,
  type StoredInstruction,
  type HandOff,
  insertHandOffs,
  lockInstructions,
} from "./store/instructions.ts";
import { insertSteps } from "./store/steps.ts";
import { readUndelivered } from "./store/undelivered-instructions.ts";
import { publishNew, type RailReport } from "./publish-rail-events.ts";
import { receiveOwnPayments, type SettledPayment } from "./receive-own-payments.ts";
import { withholdBehindOthers, withholdFromRail } from "./withhold-from-rail.ts";

/** An instruction with all its steps. */
interface PlannedInstruction {
  readonly handOff: HandOff;
  readonly steps: readonly ScheduledStep[];
}

/** What decides about the hand-offs of a batch. */
interface BatchContext {
  readonly bookOf: SimulatedBooks;
  readonly faults: ReadonlyMap<PaymentOrderId, Fault>;
}

/** The rail of Test books: does what was injected, what a rule or a magic account number asks for, or settles. */
@Injectable()
export class SimulatedRail implements RailAdapter {
  readonly #cipher: SecretCipher;
  readonly #rules: FaultRules;

  constructor(cipher: SecretCipher, rules: FaultRules) {
    this.#cipher = cipher;
    this.#rules = rules;
  }

  /**
   * Steps without delay are published in this transaction, so that an instant rail costs no further hop. The others
   * are rows for `RunDueSteps`.
   *
   * Locks: shares its books with other hand-offs, so that between the reading of a book and the commit of what was
   * planned by it no clock is set and no outage begins. Then inserts new rows in order of id, and locks all existing
   * rows in order of id, for submissions and inquiries together. A transaction that waits during its inserts holds only
   * rows that it inserted, so no two batches deadlock.
   */
  async take({ submissions, inquiries }: RailBatch, unit: UnitOfWork, at = realTime()): Promise<Inquiry[]> {
    const bookOf = await lockAndReadBooks(unit.sql, [...submissions, ...inquiries], at);
    const next = await withholdBehindOthers(submissions, unit, bookOf);
    const faults = await this.#rules.assignFaults(next, unit, bookOf);
    const arrived = await withholdFromRail(next, faults, unit, bookOf);
    const context = { bookOf, faults };
    const submissionByOrder = new Map<PaymentOrderId, Submission>();
    for (const submission of arrived) {
      const { orderId } = submission.data;
      if (!submissionByOrder.has(orderId)) submissionByOrder.set(orderId, submission);
    }
    const inquiryByOrder = new Map(inquiries.map((inquiry) => [inquiry.data.orderId, inquiry]));
    const inserted = await this.#insert([...submissionByOrder.values()], unit, context);
    const insertedIds = new Set(inserted.map(({ handOff }) => handOff.orderId));
    const otherIds = [...new Set([...submissionByOrder.keys(), ...inquiryByOrder.keys()])].filter(
      (id) => !insertedIds.has(id),
    );
    const stored = otherIds.length === 0 ? [] : await lockInstructions(unit.sql, otherIds);
    const accepted = [...inserted, ...(await this.#submitPending(stored, submissionByOrder, unit, context))];
    await startSteps(accepted, unit, this.#cipher);
    const ruled = inquiries.map(({ book }) => book).filter((book) => bookOf(book).ruleChanges !== null);
    const isSilent = await readIsSilent(unit.sql, ruled);
    const known = stored.filter((row) => row.state === "AtRail");
    const reporting = known.filter(({ silenced }) => !silenced);
    const resubmitted = reporting.filter(({ instruction }) => submissionByOrder.has(instruction.orderId));
    await republishSubmitted(resubmitted, submissionByOrder, unit);
    const acceptedNow = accepted.map(({ handOff }) => ({ instruction: handOff, cause: handOff.cause }));
    const inquired = [...reporting, ...acceptedNow].filter(
      ({ instruction: { orderId, book, rail } }) => inquiryByOrder.has(orderId) && !isSilent(book, rail),
    );
    await answerInquiries(inquired, inquiryByOrder, unit, { bookOf, cipher: this.#cipher });
    const knownIds = new Set([...known, ...acceptedNow].map(({ instruction }) => instruction.orderId));
    const unknown = [...inquiryByOrder.values()].filter(({ data }) => !knownIds.has(data.orderId));
    return withoutWithheld(unknown, unit, isSilent);
  }

  /** Inserts the instructions whose order has no row yet, and returns those. */
  async #insert(
    submissions: readonly Submission[],
    unit: UnitOfWork,
    context: BatchContext,
  ): Promise<PlannedInstruction[]> {
    if (submissions.length === 0) return [];
    const planned = submissions.map((submission) => this.#plan(submission, null, context));
    const handOffs = planned.map(({ handOff }) => handOff);
    const insertedIds = await insertHandOffs(
      unit.sql,
      handOffs.sort((a, b) => (a.orderId < b.orderId ? -1 : 1)),
    );
    return planned.filter(({ handOff }) => insertedIds.has(handOff.orderId));
  }

  /** Turns rows with a pending injection into instructions, and returns those. */
  async #submitPending(
    stored: readonly StoredInstruction[],
    submissionByOrder: ReadonlyMap<PaymentOrderId, Submission>,
    unit: UnitOfWork,
    context: BatchContext,
  ): Promise<PlannedInstruction[]> {
    const planned = stored.flatMap((row) => {
      if (row.state !== "PendingInjection") return [];
      const submission = submissionByOrder.get(row.orderId);
      return submission === undefined ? [] : [this.#plan(submission, row.injection, context)];
    });
    if (planned.length > 0) {
      await updateHandOffs(
        unit.sql,
        planned.map(({ handOff }) => handOff),
      );
    }
    return planned;
  }

  #plan(
    submission: Submission,
    pendingInjection: Injection | null,
    { bookOf, faults }: BatchContext,
  ): PlannedInstruction {
    const { time: at, clock, hasOwnClock } = bookOf(submission.book);
    const { orderId, rail, direction, amountCents, counterpartyAccountNumber, ...party } = submission.data;
    const accountNumber = canBeMagic(counterpartyAccountNumber.last4)
      ? this.#cipher.decrypt(counterpartyAccountNumber)
      : null;
    const fault = faults.get(orderId) ?? null;
    const scenario = chooseScenario(
      { rail, direction, accountNumber, network: party.counterpartyRoutingNumber },
      { pendingInjection, fault, clock, now: at },
    );
    const steps = schedule(scenario.steps, 1, at);
    const handOff: HandOff = {
      orderId,
      book: submission.book,
      rail,
      direction,
      amountCents,
      railReference: railReferenceOf(rail, orderId, at),
      counterpartyName: party.counterpartyName,
      counterpartyRoutingNumber: party.counterpartyRoutingNumber,
      counterpartyAccountNumber,
      statementDescriptor: party.statementDescriptor,
      reason: scenario.reason,
      submittedAt: at,
      nextDueAt: nextDueAt(steps),
      onBookClock: hasOwnClock,
      originator: party.originator,
      cause: submission,
    };
    return { handOff, steps };
  }
}

/**
 * Leaves out inquiries about instructions that an outage withholds, and about those for a rail that it has silenced.
 */
async function withoutWithheld(
  inquiries: readonly Inquiry[],
  { sql }: UnitOfWork,
  isSilent: (book: BookId, rail: Rail) => boolean,
): Promise<Inquiry[]> {
  if (inquiries.length === 0) return [];
  const undelivered = await readUndelivered(
    sql,
    inquiries.map(({ data }) => data.orderId),
  );
  const byOrder = new Map(undelivered.map((each) => [each.orderId, each]));
  return inquiries.filter(({ book, data }) => {
    const found = byOrder.get(data.orderId);
    return found === undefined || (found.kind === "Lost" && !isSilent(book, found.rail));
  });
}

/** Stores the steps of new instructions, and publishes those without delay. */
async function startSteps(
  accepted: readonly PlannedInstruction[],
  unit: UnitOfWork,
  cipher: SecretCipher,
): Promise<void> {
  if (accepted.length === 0) return;
  const stepsOfOrders = accepted.map(({ handOff, steps }) => ({ orderId: handOff.orderId, steps }));
  unit.withCommit(insertSteps(unit.sql, stepsOfOrders));
  const reports = accepted.map(({ handOff, steps }): RailReport => {
    return { instruction: handOff, steps, now: publishedEvents(steps), cause: handOff.cause };
  });
  publishNew(unit, reports);
  await receiveOwnPayments(unit, cipher, accepted.flatMap(settledPayment));
}

/** The payment, if it settles with its hand-off and may go to a virtual account. */
function settledPayment({ handOff, steps }: PlannedInstruction): SettledPayment[] {
  const { originator } = handOff;
  const settled = publishedEvents(steps).find(({ event }) => event.kind === "Settled");
  if (originator === undefined || settled === undefined) return [];
  return [
    {
      instruction: handOff,
      routingNumber: handOff.counterpartyRoutingNumber,
      accountNumber: handOff.counterpartyAccountNumber,
      originator,
      settledAt: settled.occurredAt,
      cause: handOff.cause,
    },
  ];
}
