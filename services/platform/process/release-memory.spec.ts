import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { releaseMemoryAtRest } from "./release-memory.ts";

const MiB = 1024 ** 2;
const look = () => vi.advanceTimersByTime(30_000);

/** A process of 110 MiB, 40 of which a collection frees. */
function aProcess() {
  const state = { busyShare: 0.02, residentMiB: 110, collections: 0 };
  const memory = {
    busyShare: () => state.busyShare,
    residentBytes: () => state.residentMiB * MiB,
    collect: () => {
      state.collections += 1;
      state.residentMiB = 70;
    },
  };
  return { state, memory };
}

describe("the memory of a service", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is given back once the service rests", () => {
    const { state, memory } = aProcess();
    const timer = releaseMemoryAtRest(memory);
    state.busyShare = 0.11;
    look();
    expect(state.collections).toBe(0);
    // A ledger whose auditor catches up.
    state.busyShare = 0.08;
    look();
    expect(state).toMatchObject({ collections: 1, residentMiB: 70 });
    clearInterval(timer);
  });

  it("is kept while a service pauses for less than half a minute", () => {
    const { state, memory } = aProcess();
    const timer = releaseMemoryAtRest(memory);
    vi.advanceTimersByTime(29_999);
    expect(state.collections).toBe(0);
    vi.advanceTimersByTime(1);
    expect(state.collections).toBe(1);
    clearInterval(timer);
  });

  it("is given back again only after it has grown by 16 MiB", () => {
    const { state, memory } = aProcess();
    const timer = releaseMemoryAtRest(memory);
    look();
    state.residentMiB = 85;
    look();
    expect(state.collections).toBe(1);
    state.residentMiB = 86;
    look();
    expect(state.collections).toBe(2);
    clearInterval(timer);
  });
});
