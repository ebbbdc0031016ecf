import { z } from "zod";
import { sentClock } from "../book-clock.ts";
import { timestamp } from "../http/shapes.ts";
import { clock, clockAdvance, clockAdvanceCreate, clockPut } from "../http/sandbox/clock.ts";
import { event, notification, request, type Service, services } from "../message.ts";

/** A Test book's clock was set or advanced. `sequence` numbers its changes: the highest is in force. */
export const BookClockChanged = event("rails", "book-clock-changed", sentClock);
/** The same for webhooks, which consumes no other stream than NTF. */
export const BookClockNotified = notification("rails", "book-clock-notified", sentClock);

const numberedClock = sentClock.extend({ sequence: z.int32() });
const applied = z.object({ applied: z.boolean() });
/**
 * A clock that has just changed. Its event brings it too; rails-simulator waits for these replies, so that its caller
 * finds the new time everywhere.
 */
export const ApplyClockToOrders = request("orders", "apply-book-clock", numberedClock, applied);
export const ApplyClockToLedger = request("ledger", "apply-book-clock", numberedClock, applied);
export const ApplyClockToWebhooks = request("webhooks", "apply-book-clock", numberedClock, applied);

/** The most message ids in one request or reply. */
export const maxReportedMessages = 2_000;
const messageIds = z.array(z.uuid()).max(maxReportedMessages);
const service = z.enum(services as unknown as [Service, ...Service[]]);

const progressQuestion = z.object({
  /** Messages that others sent to the asked service. It answers with those that it has handled. */
  sentToYou: messageIds,
  /** Messages that the asked service sent, and that a consumer has handled. */
  handled: z.array(z.object({ id: z.uuid(), consumer: service })).max(maxReportedMessages),
});
const progress = z.object({
  /** The messages of `sentToYou` that this service has handled. */
  handled: messageIds,
  /** Messages that this service sent for the book and that are not confirmed, at most `maxReportedMessages`. */
  unconfirmed: z.array(z.object({ id: z.uuid(), type: z.string(), consumer: service })),
  /**
   * Other work that this service is doing for the book now: work without an unconfirmed message and without a due time.
   */
  underWay: z.string().optional(),
  /** The earliest time, on the book's clock, at which the service has something to do for the book. */
  nextDueAt: timestamp.nullable(),
});
export type Progress = z.output<typeof progress>;
/** Asks a service what it still has to do for a book with a clock of its own. */
export const ReportOrdersProgress = request("orders", "report-progress", progressQuestion, progress);
export const ReportLedgerProgress = request("ledger", "report-progress", progressQuestion, progress);
export const ReportWebhooksProgress = request("webhooks", "report-progress", progressQuestion, progress);

export const GetClock = request("rails", "get-clock", z.object({}), clock);
export const PutClock = request("rails", "put-clock", clockPut, clock);
export const AdvanceClock = request("rails", "advance-clock", clockAdvanceCreate, clockAdvance);
export const GetClockAdvance = request(
  "rails",
  "get-clock-advance",
  z.object({ id: z.string() }),
  clockAdvance,
);
