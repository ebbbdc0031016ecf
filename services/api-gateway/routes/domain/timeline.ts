import type { z } from "zod";
import type { LedgerTransaction } from "../../../../contracts/http/ledger/ledger-transactions.ts";
import {
  maxTimelineEntries,
  type TimelineEntry,
  type TimelineKind,
} from "../../../../contracts/http/payments/payment-order-timeline.ts";
import type { PaymentOrder } from "../../../../contracts/http/payments/payment-orders.ts";
import type { ListRailEvents } from "../../../../contracts/messages/rails.ts";
import type { ListDeliveriesOfObject } from "../../../../contracts/messages/webhooks.ts";

const nothingElse = {
  status: null,
  actor: null,
  reason: null,
  code: null,
  reference: null,
  eventType: null,
  ledgerTransactionId: null,
  sequence: null,
  webhookId: null,
  eventId: null,
  endpointId: null,
} as const;

export function entriesOfOrder({ statusHistory, approval }: PaymentOrder): TimelineEntry[] {
  const changes = statusHistory.map(({ to, at, actor, reason }): TimelineEntry => {
    return { ...nothingElse, at, source: "Orders", kind: "StatusChanged", status: to, actor, reason };
  });
  const approvals = approval.approvals.map(
    ({ principal: actor, at, notCountedReason: reason }): TimelineEntry => {
      return { ...nothingElse, at, source: "Orders", kind: "ApprovalGiven", actor, reason };
    },
  );
  return [...changes, ...approvals];
}

/** What the bank moved after the order had ended. The order knows of it, the ledger booked it. */
export function entriesOfUnexpectedMovements({ strayMovements }: PaymentOrder): TimelineEntry[] {
  return strayMovements.map(({ at, returnCode, ledgerTransactionId }): TimelineEntry => {
    return {
      ...nothingElse,
      at,
      source: "Ledger",
      kind: "SuspensePosted",
      code: returnCode,
      ledgerTransactionId,
    };
  });
}

const journalKinds: Partial<Record<LedgerTransaction["journals"][number]["kind"], TimelineKind>> = {
  Hold: "HoldPlaced",
  Settle: "HoldSettled",
  Release: "HoldReleased",
  LateReturn: "ReturnPosted",
};

/** Journals by effective time, which is in the time of the book. */
export function entriesOfTransaction({ id, journals }: LedgerTransaction): TimelineEntry[] {
  return journals.flatMap(({ kind: journalKind, sequence, effectiveAt: at }): TimelineEntry[] => {
    const kind = journalKinds[journalKind];
    if (kind === undefined) return [];
    return [{ ...nothingElse, at, source: "Ledger", kind, ledgerTransactionId: id, sequence }];
  });
}

type RailEvents = z.output<typeof ListRailEvents.reply>;
const railKinds: Record<RailEvents["events"][number]["event"], TimelineKind> = {
  Accepted: "InstructionAccepted",
  Settled: "InstructionSettled",
  Failed: "InstructionFailed",
  Returned: "InstructionReturned",
  NoticeOfChange: "ChangeNotified",
  UnmatchedReturn: "UnmatchedReturnReported",
  SentBack: "PaymentSentBack",
};

export function entriesOfRail({ submittedAt, events }: RailEvents): TimelineEntry[] {
  const submitted: TimelineEntry[] =
    submittedAt === null
      ? []
      : [{ ...nothingElse, at: submittedAt, source: "Rails", kind: "InstructionSubmitted" }];
  return [
    ...submitted,
    ...events.map(({ event, code, reference, at }): TimelineEntry => {
      return { ...nothingElse, at, source: "Rails", kind: railKinds[event], code, reference };
    }),
  ];
}

export function entriesOfDeliveries({
  data,
}: z.output<typeof ListDeliveriesOfObject.reply>): TimelineEntry[] {
  return data.map(({ id, at, ...delivery }): TimelineEntry => {
    return { ...nothingElse, ...delivery, at, source: "Webhooks", kind: "WebhookQueued", webhookId: id };
  });
}

/**
 * The rank of what happened at one time: causes before effects. On a Manual clock a whole payment happens at one time.
 */
const ranks: Record<Exclude<TimelineKind, "StatusChanged">, number> = {
  HoldPlaced: 2,
  ApprovalGiven: 4,
  InstructionSubmitted: 6,
  InstructionAccepted: 7,
  ChangeNotified: 8,
  InstructionSettled: 8,
  InstructionFailed: 8,
  InstructionReturned: 9,
  UnmatchedReturnReported: 9,
  PaymentSentBack: 9,
  HoldSettled: 10,
  HoldReleased: 10,
  ReturnPosted: 12,
  SuspensePosted: 12,
  WebhookQueued: 13,
};
const statusRanks: Readonly<Record<string, number>> = { Draft: 0, Submitted: 1, Pending: 3, Processing: 5 };
const rankOfEnd = 11;

function rankOf({ kind, status }: TimelineEntry): number {
  return kind === "StatusChanged" ? (statusRanks[status ?? ""] ?? rankOfEnd) : ranks[kind];
}

/** All entries by time, at most `maxTimelineEntries`: the oldest. */
export function mergeTimeline(entries: readonly TimelineEntry[]): {
  data: TimelineEntry[];
  truncated: boolean;
} {
  const sorted = entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || rankOf(a) - rankOf(b));
  return { data: sorted.slice(0, maxTimelineEntries), truncated: sorted.length > maxTimelineEntries };
}
