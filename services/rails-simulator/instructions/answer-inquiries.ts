import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { SimulatedBooks } from "../rules/store/simulated-books.ts";
import type { Instruction } from "./domain/instruction.ts";
import {
  afterInquiry,
  dueSteps,
  nextDueAt,
  publishSteps,
  type ScheduledStep,
  waitsForInquiry,
} from "./domain/schedule.ts";
import { publishedNow, publishNew, type RailReport, republish } from "./publish-rail-events.ts";
import { type Inquiry, ReusedOrderIdError, type Submission } from "./rail-adapter.ts";
import { receiveSettled } from "./receive-own-payments.ts";
import { type StoredInstruction, updateNextDue } from "./store/instructions.ts";
import { markPublished, readSteps, updateDue } from "./store/steps.ts";

export type AtRail = Pick<Extract<StoredInstruction, { state: "AtRail" }>, "instruction" | "cause">;

/** Publishes the events of repeated hand-offs again. Throws `ReusedOrderIdError`. */
export async function republishSubmitted(
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
    const steps = stepsByOrder.get(instruction.orderId) ?? [];
    republish(unit.outbox, instruction, steps, submission ?? cause);
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

/**
 * Publishes all events of the inquired instructions again, and then the steps that waited for an inquiry. Those that
 * are not due yet are published in their time.
 */
export async function answerInquiries(
  stored: readonly AtRail[],
  inquiryByOrder: ReadonlyMap<PaymentOrderId, Inquiry>,
  unit: UnitOfWork,
  { bookOf, cipher }: { readonly bookOf: SimulatedBooks; readonly cipher: SecretCipher },
): Promise<void> {
  if (stored.length === 0) return;
  const stepsByOrder = await readSteps(
    unit.sql,
    stored.map(({ instruction }) => instruction.orderId),
  );
  const waiting: { orderId: PaymentOrderId; steps: readonly ScheduledStep[]; hasOwnClock: boolean }[] = [];
  const reports: RailReport[] = [];
  for (const { instruction, cause } of stored) {
    const { orderId } = instruction;
    const before = stepsByOrder.get(orderId) ?? [];
    const by = inquiryByOrder.get(orderId) ?? cause;
    republish(unit.outbox, instruction, before, by);
    if (!before.some(waitsForInquiry)) continue;
    const { time, clock, hasOwnClock } = bookOf(instruction.book);
    const inquired = afterInquiry(before, time, { isInstant: clock.mode === "Instant" });
    const { steps, now } = publishSteps(inquired, dueSteps(inquired, time), time);
    waiting.push({ orderId, steps, hasOwnClock });
    reports.push({ instruction, steps, now, cause: by });
  }
  if (reports.length === 0) return;
  unit.withCommit(markPublished(unit.sql, publishedNow(reports)));
  unit.withCommit(updateDue(unit.sql, waiting));
  const next = waiting.map(({ orderId, steps, hasOwnClock }) => ({
    orderId,
    nextDueAt: nextDueAt(steps),
    hasOwnClock,
  }));
  unit.withCommit(updateNextDue(unit.sql, next));
  publishNew(unit, reports);
  await receiveSettled(unit, cipher, reports);
}
