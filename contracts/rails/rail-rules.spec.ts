import { describe, expect, it } from "vitest";
import { railLimit, railRules } from "./rail-rules.ts";
import { rails } from "./rails.ts";

describe("rail rules", () => {
  it.each([
    ["Ach", 9_999_999_999, 9_999_999_999],
    ["SameDayAch", 100_000_000, 100_000_000],
    ["Rtp", 1_000_000_000, null],
    ["Wire", 999_999_999_999, null],
    ["Book", 999_999_999_999, 999_999_999_999],
    ["Usdc", 999_999_999_999, null],
  ] as const)("limits %s to its largest credit and debit", (rail, credit, debit) => {
    expect(railLimit(rail, "Credit", "2026-07-01")?.maxAmountCents).toBe(credit);
    expect(railLimit(rail, "Debit", "2026-07-01")?.maxAmountCents ?? null).toBe(debit);
  });

  it("changes a limit on its date", () => {
    expect(railLimit("Rtp", "Credit", "2025-02-08")?.maxAmountCents).toBe(100_000_000);
    expect(railLimit("Rtp", "Credit", "2025-02-09")).toEqual({
      maxAmountCents: 1_000_000_000,
      effectiveFrom: "2025-02-09",
    });
    expect(railLimit("SameDayAch", "Debit", "2022-03-17")?.maxAmountCents).toBe(10_000_000);
    expect(railLimit("SameDayAch", "Debit", "2022-03-18")?.maxAmountCents).toBe(100_000_000);
  });

  it("keeps each rail's rows in the order of their dates", () => {
    for (const rail of rails) {
      const dates = railRules.filter((row) => row.rail === rail).map((row) => row.effectiveFrom);
      expect(dates.length).toBeGreaterThan(0);
      expect(dates).toEqual([...dates].sort());
    }
  });
});
