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
    vi.advanceTimersByTime(250);
    merged.add(order("po_c"));
    expect(sent.slice(2)).toEqual([{ changes: [order("po_c")] }]);
  });

  it("are at most four updates a second, however many arrive", () => {
    for (let ms = 0; ms < 1_000; ms += 1) {
      merged.add(order("po_a", ms));
      vi.advanceTimersByTime(1);
    }
    expect(sent).toHaveLength(5); // the first at 0 ms, the last at 1,000 ms
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
    vi.advanceTimersByTime(250);
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
