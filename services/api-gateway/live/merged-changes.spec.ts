import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Change } from "./live-events.ts";
import { MergedChanges, type Update } from "./merged-changes.ts";

const order = (id: string, sequence: number | null = 1): Change => ({ type: "payment_order", id, sequence });

describe("the changes of a stream", () => {
  let sent: Update[];
  let merged: MergedChanges;
  beforeEach(() => {
    vi.useFakeTimers();
    sent = [];
    merged = new MergedChanges((update) => sent.push(update));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are sent at once after a pause, and merged within it", () => {
    merged.add(order("po_a", 1));
    expect(sent).toEqual([{ changes: [order("po_a", 1)] }]);
    merged.add(order("po_a", 2));
    merged.add(order("po_b", 1));
    merged.add(order("po_a", 3));
    vi.advanceTimersByTime(249);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(sent.slice(1)).toEqual([{ changes: [order("po_a", 3), order("po_b", 1)] }]);
    vi.advanceTimersByTime(500);
    merged.add(order("po_c"));
    expect(sent.slice(2)).toEqual([{ changes: [order("po_c")] }]);
  });

  it("come after longer pauses while the book never rests, up to a second", () => {
    const sentAt: number[] = [];
    merged = new MergedChanges(() => sentAt.push(now));
    let now = 0;
    for (; now < 4_000; now += 1) {
      merged.add(order("po_a", now));
      vi.advanceTimersByTime(1);
    }
    // A timer that is due at 250 ms runs while the loop stands at 249.
    expect(sentAt.map((ms) => ms + 1)).toEqual([1, 250, 750, 1_750, 2_750, 3_750]);
  });

  it("come quickly again once nothing has changed for a whole pause", () => {
    merged.add(order("po_a", 1));
    merged.add(order("po_a", 2));
    vi.advanceTimersByTime(250 + 500);
    merged.add(order("po_a", 3));
    expect(sent).toHaveLength(3);
    merged.add(order("po_a", 4));
    vi.advanceTimersByTime(250);
    expect(sent).toHaveLength(4);
  });

  it("keep the newest sequence where events arrive in another order", () => {
    merged.add(order("po_first"));
    merged.add(order("po_a", 3));
    merged.add(order("po_a", 2));
    vi.advanceTimersByTime(250);
    expect(sent.slice(1)).toEqual([{ changes: [order("po_a", 3)] }]);
  });

  it("become a resync where more than 100 objects change within a pause", () => {
    merged.add(order("po_first"));
    for (let number = 0; number <= 100; number += 1) merged.add(order(`po_${String(number)}`));
    vi.advanceTimersByTime(250);
    expect(sent.slice(1)).toEqual(["resync"]);
    vi.advanceTimersByTime(500);
    merged.add(order("po_after"));
    expect(sent.slice(2)).toEqual([{ changes: [order("po_after")] }]);
  });

  it("end when the stream is closed", () => {
    merged.add(order("po_a"));
    merged.add(order("po_b"));
    merged.close();
    vi.advanceTimersByTime(1_000);
    expect(sent).toHaveLength(1);
  });
});
