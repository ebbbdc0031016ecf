import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { releaseMemoryAtRest } from "./release-memory.ts";

const MiB = 1024 ** 2;
const look = () => vi.advanceTimersByTimeAsync(30_000);

/** A process of 110 MiB, 40 of which a collection frees. */
function aProcess() {
  const state = { busyShare: 0.02, residentMiB: 110, collections: 0 };
  const memory = {
    busyShare: () => state.busyShare,
    residentBytes: () => state.residentMiB * MiB,
    release: async () => {
      state.collections += 1;
      state.residentMiB = 70;
    },
  };
  return { state, memory };
}

describe("the memory of a service", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is given back once the service rests", async () => {
    const { state, memory } = aProcess();
    const timer = releaseMemoryAtRest(memory);
    state.busyShare = 0.11;
    await look();
    expect(state.collections).toBe(0);
    // A ledger whose auditor catches up.
    state.busyShare = 0.08;
    await look();
    expect(state).toMatchObject({ collections: 1, residentMiB: 70 });
    clearInterval(timer);
  });

  it("is kept while a service pauses for less than half a minute", async () => {
    const { state, memory } = aProcess();
    const timer = releaseMemoryAtRest(memory);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(state.collections).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.collections).toBe(1);
    clearInterval(timer);
  });

  it("is given back again only after it has grown by 16 MiB", async () => {
    const { state, memory } = aProcess();
    const timer = releaseMemoryAtRest(memory);
    await look();
    state.residentMiB = 85;
    await look();
    expect(state.collections).toBe(1);
    state.residentMiB = 86;
    await look();
    expect(state.collections).toBe(2);
    clearInterval(timer);
  });
});
