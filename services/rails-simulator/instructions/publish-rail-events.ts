import {
  InstructionAccepted,
  InstructionFailed,
  InstructionReturned,
  InstructionSettled,
  NoticeOfChange,
  PaymentSentBack,
  UnmatchedReturnReceived,
} from "../../../contracts/messages/rails.ts";
import { settlementDateOf } from "../../../contracts/rails/banking-calendar.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { returnWindowEnd } from "../../../contracts/rails/return-windows.ts";
import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { OutboxWriter } from "../../platform/outbox/outbox.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { bankMovements } from "./domain/bank-movements.ts";
import type { Instruction, PublishedEvent } from "./domain/instruction.ts";
import { publishedEvents, type ScheduledStep } from "./domain/schedule.ts";
import { originalTraceOf, returnTraceOf } from "./domain/rail-references.ts";
import { insertMovements } from "./store/bank-movements.ts";

/** What the rail reports about one instruction. */
export interface RailReport {
  readonly instruction: Instruction;
  /** All steps of the instruction. */
  readonly steps: readonly ScheduledStep[];
  /** Those that are published now for the first time. */
  readonly now: readonly PublishedEvent[];
  readonly cause: Cause;
}

/** Publishes the new events of the reports and books the money that they move at the bank, in one transaction. */
export function publishNew(unit: UnitOfWork, reports: readonly RailReport[]): void {
  const movements = reports.flatMap(({ instruction, steps, now }) => bankMovements(instruction, steps, now));
  unit.withCommit(insertMovements(unit.sql, movements));
  for (const report of reports) addToOutbox(unit.outbox, report);
}

/** Publishes the published steps of an instruction again: the same data under new message ids. Moves no money. */
export function republish(
  outbox: OutboxWriter,
  instruction: Instruction,
  steps: readonly ScheduledStep[],
  cause: Cause,
): void {
  addToOutbox(outbox, { instruction, steps, now: publishedEvents(steps), cause });
}

/** The steps that reports publish, with their times. */
export function publishedNow(
  reports: readonly RailReport[],
): { orderId: PaymentOrderId; number: number; at: Date }[] {
  return reports.flatMap(({ instruction: { orderId }, now }) =>
    now.map(({ number, occurredAt: at }) => ({ orderId, number, at })),
  );
}

/**
 * If a report has both an acceptance and a settlement, only the settlement is sent: it has the same reference, and
 * orders takes it in place of the acceptance. So an instant rail sends one message for a payment that succeeds.
 */
function addToOutbox(outbox: OutboxWriter, { instruction, steps, now, cause }: RailReport): void {
  const settles = now.some(({ event }) => event.kind === "Settled");
  for (const published of now) {
    if (settles && published.event.kind === "Accepted") continue;
    for (let copy = 0; copy < (published.copies ?? 1); copy += 1) {
      addEvent(outbox, instruction, published, { steps, cause });
    }
  }
}

function addEvent(
  outbox: OutboxWriter,
  instruction: Instruction,
  { number, event, occurredAt }: PublishedEvent,
  { steps, cause }: Pick<RailReport, "steps" | "cause">,
): void {
  const { book, orderId, rail, railReference } = instruction;
  const attributes = { book, subject: orderId, sequence: number, cause };
  const common = { orderId, number, occurredAt: occurredAt.toISOString() };
  switch (event.kind) {
    case "Accepted":
      outbox.add(InstructionAccepted, { ...attributes, data: { ...common, railReference } });
      break;
    case "Settled": {
      const settlementDate = settlementDateOf(rail, occurredAt);
      outbox.add(InstructionSettled, { ...attributes, data: { ...common, railReference, settlementDate } });
      break;
    }
    case "Failed": {
      const { code, message } = event;
      outbox.add(InstructionFailed, { ...attributes, data: { ...common, code, message } });
      break;
    }
    case "Returned": {
      const { code, repetition } = event;
      const traceNumber = returnTraceOf(orderId, code, repetition);
      const dueAt = steps.find((step) => step.number === number)?.dueAt ?? occurredAt;
      const afterWindow = isAfterWindow(rail, code, dueAt, steps) ? { afterWindow: true } : {};
      outbox.add(InstructionReturned, {
        ...attributes,
        data: { ...common, code, traceNumber, ...afterWindow },
      });
      break;
    }
    case "NoticeOfChange": {
      const { code, correctedData } = event;
      outbox.add(NoticeOfChange, { ...attributes, data: { ...common, code, correctedData } });
      break;
    }
    case "UnmatchedReturn":
    case "SentBack":
      addNewPayment(outbox, instruction, { event, occurredAt }, cause);
      break;
  }
}

type NewPayment = Extract<PublishedEvent["event"], { kind: "UnmatchedReturn" | "SentBack" }>;

/** What the bank reports apart from the instruction: it has a reference of its own. */
function addNewPayment(
  outbox: OutboxWriter,
  { book, orderId, rail, direction, amountCents, counterpartyName }: Instruction,
  { event, occurredAt }: { readonly event: NewPayment; readonly occurredAt: Date },
  cause: Cause,
): void {
  if (rail === "Book") throw new TypeError("a Book transfer never meets a rail");
  const { reference } = event;
  const moved = { rail, amountCents, currency: "USD", originatorName: counterpartyName } as const;
  const common = { ...moved, occurredAt: occurredAt.toISOString() };
  if (event.kind === "SentBack") {
    const data = { ...common, orderId, bankReference: reference };
    outbox.add(PaymentSentBack, { book, subject: reference, data, cause });
    return;
  }
  const traces = { traceNumber: reference, originalTraceNumber: originalTraceOf(reference) };
  const data = { ...common, ...traces, direction, code: event.code };
  outbox.add(UnmatchedReturnReceived, { book, subject: reference, data, cause });
}

/**
 * Whether a return that is due at `at` comes after the window of its code, which counts from the settlement. A return
 * that uses the whole window is published moments after it is due.
 */
function isAfterWindow(rail: Rail, code: string, at: Date, steps: readonly ScheduledStep[]): boolean {
  const settledAt = steps.find(({ event }) => event.kind === "Settled")?.publishedAt ?? null;
  if (settledAt === null) return false;
  const end = returnWindowEnd(code, settlementDateOf(rail, settledAt));
  return end !== null && at > end;
}
