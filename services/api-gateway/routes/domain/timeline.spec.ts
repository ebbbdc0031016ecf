import { describe, expect, it } from "vitest";
import type { TimelineEntry } from "../../../../contracts/http/payments/payment-order-timeline.ts";
import { entriesOfOrder, entriesOfRail, mergeTimeline } from "./timeline.ts";

const at = "2026-03-02T15:00:00.000Z";
const entry = (change: Partial<TimelineEntry>): TimelineEntry => ({
  at,
  source: "Orders",
  kind: "StatusChanged",
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
  ...change,
});
const status = (text: string, time = at) => entry({ status: text, at: time });

describe("a timeline", () => {
  it("is by time, whoever knows of it", () => {
    const { data } = mergeTimeline([
      status("Completed", "2026-03-02T15:00:03.000Z"),
      entry({ source: "Rails", kind: "InstructionSettled", at: "2026-03-02T15:00:02.000Z" }),
      status("Processing", "2026-03-02T15:00:01.000Z"),
    ]);
    expect(data.map(({ kind, status: to }) => to ?? kind)).toEqual([
      "Processing",
      "InstructionSettled",
      "Completed",
    ]);
  });

  it("of one time, as on a Manual clock, has causes before their effects", () => {
    const { data } = mergeTimeline([
      entry({ source: "Webhooks", kind: "WebhookQueued" }),
      entry({ source: "Ledger", kind: "HoldReleased" }),
      status("Returned"),
      status("Pending"),
      entry({ source: "Rails", kind: "InstructionReturned", code: "R01" }),
      entry({ source: "Ledger", kind: "HoldPlaced" }),
      status("Processing"),
      entry({ source: "Rails", kind: "InstructionSubmitted" }),
      status("Submitted"),
      status("Draft"),
      entry({ kind: "ApprovalGiven", actor: "rosa" }),
    ]);
    expect(data.map(({ kind, status: to }) => to ?? kind)).toEqual([
      "Draft",
      "Submitted",
      "HoldPlaced",
      "Pending",
      "ApprovalGiven",
      "Processing",
      "InstructionSubmitted",
      "InstructionReturned",
      "HoldReleased",
      "Returned",
      "WebhookQueued",
    ]);
  });

  it("has at most 500 entries, the oldest, and says that there are more", () => {
    const many = Array.from({ length: 501 }, (_, index) =>
      entry({ at: new Date(Date.parse(at) - index).toISOString(), sequence: index }),
    );
    const { data, truncated } = mergeTimeline(many);
    expect([data.length, truncated]).toEqual([500, true]);
    expect(data[0]!.sequence).toBe(500);
    expect(mergeTimeline(many.slice(1)).truncated).toBe(false);
  });

  it("shows approvals beside the status changes, and why one of them does not count", () => {
    const order = {
      statusHistory: [{ from: null, to: "Draft", at, actor: "ana", reason: null }],
      approval: {
        approvals: [
          { principal: "rosa", at, notCountedReason: null },
          { principal: "omar", at, notCountedReason: "RightLost" },
        ],
      },
    } as unknown as Parameters<typeof entriesOfOrder>[0];
    expect(entriesOfOrder(order)).toMatchObject([
      { kind: "StatusChanged", status: "Draft", actor: "ana" },
      { kind: "ApprovalGiven", status: null, actor: "rosa", reason: null },
      { kind: "ApprovalGiven", status: null, actor: "omar", reason: "RightLost" },
    ]);
  });

  it("has nothing of a rail before the hand-off", () => {
    expect(entriesOfRail({ submittedAt: null, events: [] })).toEqual([]);
  });
});
