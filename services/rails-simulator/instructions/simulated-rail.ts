import { Injectable } from "@nestjs/common";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { instantClock, timeIn } from "../../../contracts/book-clock.ts";
import type { BookId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { readClocks } from "../../platform/clock/book-clocks.ts";
import { canBeMagic } from "../../../contracts/sandbox.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { Injection } from "./domain/injection.ts";
import type { Instruction } from "./domain/instruction.ts";
import { railReferenceOf } from "./domain/rail-references.ts";
import { nextDueAt, publishedEvents, schedule, type ScheduledStep } from "./domain/schedule.ts";
import { chooseScenario } from "./domain/scenarios.ts";
import {
  type Inquiry,
  type RailAdapter,
  type RailBatch,
  ReusedOrderIdError,
  type Submission,
} from "./rail-adapter.ts";
import {
  updateHandOffs,
  type StoredInstruction,
  type HandOff,
  insertHandOffs,
  lockInstructions,
} from "./store/instructions.ts";
import { insertSteps, markPublished, readSteps } from "./store/steps.ts";
import { publishedNow, publishNew, type RailReport, republish } from "./publish-rail-events.ts";
import { receiveOwnPayments, type SettledPayment } from "./receive-own-payments.ts";

/** An instruction with all its steps. */
interface PlannedInstruction {
  readonly handOff: HandOff;
  readonly steps: readonly ScheduledStep[];
  readonly originator: Submission["data"]["originator"];
}

type AtRail = Pick<Extract<StoredInstruction, { state: "AtRail" }>, "instruction" | "cause">;

/** The rail of Test books: does what was injected, what a magic account number asks for, or settles. */
@Injectable()
export class SimulatedRail implements RailAdapter {
  readonly #cipher: SecretCipher;

  constructor(cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  /**
   * Steps without delay are published in this transaction, so that an instant rail costs no further hop. The others
   * are rows for `RunDueSteps`.
   *
   * Locks: inserts new rows in order of id, then locks all existing rows in order of id, for submissions and inquiries
   * together. A transaction that waits during its inserts holds only rows that it inserted, so no two batches deadlock.
   */
  async take({ submissions, inquiries }: RailBatch, unit: UnitOfWork, at = new Date()): Promise<Inquiry[]> {
    const times = await readBookTimes(unit, [...submissions, ...inquiries], at);
    const submissionByOrder = new Map<PaymentOrderId, Submission>();
    for (const submission of submissions) {
      const { orderId } = submission.data;
      if (!submissionByOrder.has(orderId)) submissionByOrder.set(orderId, submission);
    }
    const inquiryByOrder = new Map(inquiries.map((inquiry) => [inquiry.data.orderId, inquiry]));
    const inserted = await this.#insert([...submissionByOrder.values()], unit, times);
    const insertedIds = new Set(inserted.map(({ handOff }) => handOff.orderId));
    const otherIds = [...new Set([...submissionByOrder.keys(), ...inquiryByOrder.keys()])].filter(
      (id) => !insertedIds.has(id),
    );
    const stored = otherIds.length === 0 ? [] : await lockInstructions(unit.sql, otherIds);
    const accepted = [...inserted, ...(await this.#submitPending(stored, submissionByOrder, unit, times))];
    await startSteps(accepted, unit, this.#cipher);
    const known = stored.filter((row) => row.state === "AtRail");
    const resubmitted = known.filter(({ instruction }) => submissionByOrder.has(instruction.orderId));
    await republishSubmitted(resubmitted, submissionByOrder, unit);
    const acceptedNow = accepted.map(({ handOff }) => ({ instruction: handOff, cause: handOff.cause }));
    const inquired = [...known, ...acceptedNow].filter(({ instruction }) =>
      inquiryByOrder.has(instruction.orderId),
    );
    await answerInquiries(inquired, inquiryByOrder, unit, times);
    const knownIds = new Set(inquired.map(({ instruction }) => instruction.orderId));
    return [...inquiryByOrder.values()].filter(({ data }) => !knownIds.has(data.orderId));
  }

  /** Inserts the instructions whose order has no row yet, and returns those. */
  async #insert(
    submissions: readonly Submission[],
    unit: UnitOfWork,
    times: BookTimes,
  ): Promise<PlannedInstruction[]> {
    if (submissions.length === 0) return [];
    const planned = submissions.map((submission) => this.#plan(submission, null, times));
    planned.sort((a, b) => (a.handOff.orderId < b.handOff.orderId ? -1 : 1));
    const insertedIds = await insertHandOffs(
      unit.sql,
      planned.map(({ handOff }) => handOff),
    );
    return planned.filter(({ handOff }) => insertedIds.has(handOff.orderId));
  }

  /** Turns rows with a pending injection into instructions, and returns those. */
  async #submitPending(
    stored: readonly StoredInstruction[],
    submissionByOrder: ReadonlyMap<PaymentOrderId, Submission>,
    unit: UnitOfWork,
    times: BookTimes,
  ): Promise<PlannedInstruction[]> {
    const planned = stored.flatMap((row) => {
      if (row.state !== "PendingInjection") return [];
      const submission = submissionByOrder.get(row.orderId);
      return submission === undefined ? [] : [this.#plan(submission, row.injection, times)];
    });
    if (planned.length > 0) {
      await updateHandOffs(
        unit.sql,
        planned.map(({ handOff }) => handOff),
      );
    }
    return planned;
  }

  #plan(submission: Submission, pendingInjection: Injection | null, times: BookTimes): PlannedInstruction {
    const { time: at, hasClock } = times(submission.book);
    const { orderId, rail, direction, amountCents, counterpartyAccountNumber, ...party } = submission.data;
    const accountNumber = canBeMagic(counterpartyAccountNumber.last4)
      ? this.#cipher.decrypt(counterpartyAccountNumber)
      : null;
    const scenario = chooseScenario({ rail, direction, accountNumber }, pendingInjection);
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
      onBookClock: hasClock,
      cause: submission,
    };
    return { handOff, steps, originator: party.originator };
  }
}

/** The time in a book, and whether the book has a clock of its own. */
type BookTimes = (book: BookId) => { readonly time: Date; readonly hasClock: boolean };

async function readBookTimes(
  { sql }: UnitOfWork,
  of: readonly { readonly book: BookId }[],
  realTime: Date,
): Promise<BookTimes> {
  const clocks = await readClocks(
    sql,
    of.map(({ book }) => book),
  );
  return (book) => {
    const clock = clocks.get(book);
    return { time: timeIn(clock ?? instantClock, realTime), hasClock: clock !== undefined };
  };
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
    return { instruction: handOff, before: [], now: publishedEvents(steps), cause: handOff.cause };
  });
  publishNew(unit, reports);
  await receiveOwnPayments(unit, cipher, accepted.flatMap(settledPayment));
}

/** The payment, if it settles with its hand-off and may go to a virtual account. */
function settledPayment({ handOff, steps, originator }: PlannedInstruction): SettledPayment[] {
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

/** Publishes the events of repeated hand-offs again. Throws `ReusedOrderIdError`. */
async function republishSubmitted(
  stored: readonly AtRail[],
  submissionByOrder: ReadonlyMap<PaymentOrderId, Submission>,
  unit: UnitOfWork,
): Promise<void> {
  if (stored.length === 0) return;
  const stepsByOrder = await readSteps(
    unit.sql,
    stored.map(({ instruction }) => instruction.orderId),
  );
  for (const { instruction, cause } of stored) {
    const submission = submissionByOrder.get(instruction.orderId);
    if (submission !== undefined) rejectDifferentPayment(instruction, submission);
    const events = publishedEvents(stepsByOrder.get(instruction.orderId) ?? []);
    republish(unit.outbox, instruction, events, submission ?? cause);
  }
}

function rejectDifferentPayment(known: Instruction, { data }: Submission): void {
  const isSame =
    known.rail === data.rail && known.direction === data.direction && known.amountCents === data.amountCents;
  if (isSame) return;
  throw new ReusedOrderIdError(
    `instruction ${known.orderId} was handed off before with another rail, direction or amount`,
  );
}

/** Publishes all events of the inquired instructions again, and then the steps that waited for an inquiry. */
async function answerInquiries(
  stored: readonly AtRail[],
  inquiryByOrder: ReadonlyMap<PaymentOrderId, Inquiry>,
  unit: UnitOfWork,
  times: BookTimes,
): Promise<void> {
  if (stored.length === 0) return;
  const stepsByOrder = await readSteps(
    unit.sql,
    stored.map(({ instruction }) => instruction.orderId),
  );
  const reports = stored.map(({ instruction, cause }): RailReport => {
    const steps = stepsByOrder.get(instruction.orderId) ?? [];
    const now = steps
      .filter(({ dueAt, publishedAt }) => dueAt === null && publishedAt === null)
      .map(({ number, event }) => ({ number, event, occurredAt: times(instruction.book).time }));
    const inquiry = inquiryByOrder.get(instruction.orderId);
    return { instruction, before: publishedEvents(steps), now, cause: inquiry ?? cause };
  });
  for (const { instruction, before, cause } of reports) republish(unit.outbox, instruction, before, cause);
  const withNew = reports.filter(({ now }) => now.length > 0);
  if (withNew.length === 0) return;
  unit.withCommit(markPublished(unit.sql, publishedNow(withNew)));
  publishNew(unit, withNew);
}
