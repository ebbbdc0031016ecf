import { describe, expect, it } from "vitest";
import { type Fault, type FaultAtRail, isAtRail, isPossible, stepsOf } from "./faults.ts";
import { chooseScenario } from "./scenarios.ts";
import type { Step } from "./step.ts";
import { timetableOf } from "./timetable.ts";

/** Monday 2027-02-08, 10:00 in New York: an ACH payment settles on Tuesday at 08:30. */
const monday = new Date("2027-02-08T15:00:00.000Z");
const handedOff = "2027-02-08T15:00:00.000Z";
const settlement = "2027-02-09T13:30:00.000Z";

/** `kind code @time`, with what is special about the step. */
const textOf = ({ event, dueAt, onlyOnInquiry, copies }: Step) =>
  [
    event.kind,
    "code" in event ? event.code : null,
    "repetition" in event ? `again ${event.repetition}` : null,
    `@${dueAt.toISOString()}`,
    onlyOnInquiry ? "when asked" : null,
    copies === undefined ? null : `${copies} times`,
  ]
    .filter((part) => part !== null)
    .join(" ");
const onAch = (fault: FaultAtRail, mode: "Instant" | "Manual" = "Manual") =>
  stepsOf(fault, { rail: "Ach", direction: "Credit" }, timetableOf({ rail: "Ach" }, mode, monday)).map(
    textOf,
  );

describe("the steps of a fault, by the rail's rules", () => {
  it.each<[string, FaultAtRail, string[]]>([
    [
      "a return comes half an hour before the settlement",
      { kind: "Return", code: "R02" },
      [`Accepted @${handedOff}`, "Returned R02 @2027-02-09T13:00:00.000Z"],
    ],
    [
      "a late return comes when the window of its code ends",
      { kind: "LateReturn", code: null },
      [`Accepted @${handedOff}`, `Settled @${settlement}`, "Returned R03 @2027-02-11T13:30:00.000Z"],
    ],
    [
      "a late return for want of authorization comes after 60 days",
      { kind: "LateReturn", code: "R10" },
      [`Accepted @${handedOff}`, `Settled @${settlement}`, "Returned R10 @2027-04-12T12:30:00.000Z"],
    ],
    [
      "a return without a fixed window comes after two banking days",
      { kind: "LateReturn", code: "R06" },
      [`Accepted @${handedOff}`, `Settled @${settlement}`, "Returned R06 @2027-02-11T13:30:00.000Z"],
    ],
    ["a reject comes at once", { kind: "Reject", code: null }, [`Failed rail_rejected @${handedOff}`]],
    [
      "a rail that timed out says when it is asked what it has done",
      { kind: "Timeout", then: "Settle" },
      [`Accepted @${handedOff} when asked`, `Settled @${settlement} when asked`],
    ],
    [
      "or that it has refused the payment",
      { kind: "Timeout", then: "Fail" },
      [`Failed rail_rejected @${handedOff} when asked`],
    ],
    ["a lost acknowledgement is never said", { kind: "LostAcknowledgement" }, [`Settled @${settlement}`]],
    [
      "everything is said twice",
      { kind: "DuplicateFacts" },
      [`Accepted @${handedOff} 2 times`, `Settled @${settlement} 2 times`],
    ],
    [
      "the settlement is said after its return, under its true number",
      { kind: "OutOfOrder", code: "R03" },
      [`Accepted @${handedOff}`, "Settled @2027-02-09T13:31:00.000Z", `Returned R03 @${settlement}`],
    ],
    [
      "everything is said late",
      { kind: "Delay", delaySeconds: 3_600 },
      ["Accepted @2027-02-08T16:00:00.000Z", "Settled @2027-02-09T14:30:00.000Z"],
    ],
    [
      "a return comes again under another trace number",
      { kind: "DuplicateReturn", code: "R03" },
      [
        `Accepted @${handedOff}`,
        `Settled @${settlement}`,
        "Returned R03 @2027-02-11T13:30:00.000Z",
        "Returned R03 again 1 @2027-02-11T13:31:00.000Z",
      ],
    ],
    [
      "a notice of change comes within two banking days",
      { kind: "NoticeOfChange", code: "C04", correctedData: { name: "Jane Receiver" } },
      [`Accepted @${handedOff}`, `Settled @${settlement}`, "NoticeOfChange C04 @2027-02-11T13:30:00.000Z"],
    ],
    [
      "an unmatched return comes when the window of its code ends",
      { kind: "UnmatchedReturn", code: null, chance: "x" },
      [`Accepted @${handedOff}`, `Settled @${settlement}`, "UnmatchedReturn R03 @2027-02-11T13:30:00.000Z"],
    ],
  ])("%s", (_title, fault, steps) => {
    expect(onAch(fault)).toEqual(steps);
  });
});

it("a wire is sent back a minute after its settlement, with an IMAD of that day", () => {
  const timetable = timetableOf({ rail: "Wire" }, "Manual", monday);
  const steps = stepsOf({ kind: "SentBack", chance: "x" }, { rail: "Wire", direction: "Credit" }, timetable);
  expect(steps.map(textOf)).toEqual([
    `Accepted @${handedOff}`,
    "Settled @2027-02-08T15:02:00.000Z",
    "SentBack @2027-02-08T15:03:00.000Z",
  ]);
  expect(steps[2]?.event).toMatchObject({ reference: expect.stringMatching(/^20270208QTSIM\w{3}\d{6}$/) });
});

it("references are the same whenever chance is", () => {
  const referenceOf = (chance: string, code = "R03") => {
    const [, , step] = stepsOf(
      { kind: "UnmatchedReturn", code, chance },
      { rail: "Ach", direction: "Credit" },
      timetableOf({ rail: "Ach" }, "Manual", monday),
    );
    return step?.event.kind === "UnmatchedReturn" ? step.event.reference : undefined;
  };
  expect(referenceOf("x")).toMatch(/^7920\d{11}$/);
  expect(referenceOf("x")).toBe(referenceOf("x"));
  expect(new Set([referenceOf("x"), referenceOf("y"), referenceOf("x", "R02")]).size).toBe(3);
});

describe("the steps of a fault in an Instant book", () => {
  it.each<[FaultAtRail, string[]]>([
    [{ kind: "LateReturn", code: "R10" }, ["00.000Z", "00.300Z", "00.450Z"]],
    [{ kind: "DuplicateReturn", code: "R10" }, ["00.000Z", "00.300Z", "00.450Z", "00.600Z"]],
    [{ kind: "OutOfOrder", code: "R10" }, ["00.000Z", "00.450Z", "00.300Z"]],
    [{ kind: "Return", code: "R10" }, ["00.000Z", "00.150Z"]],
    [{ kind: "Timeout", then: "Settle" }, ["00.000Z when asked"]],
    [{ kind: "Delay", delaySeconds: 2 }, ["02.000Z", "02.300Z"]],
  ])("of %j are due within a second", (fault, times) => {
    expect(onAch(fault, "Instant").map((step) => step.slice(step.indexOf("@") + 18))).toEqual(times);
  });
});

describe("whether a fault is possible", () => {
  it.each<[Fault, "Ach" | "Rtp" | "Wire" | "Book", "Credit" | "Debit", boolean]>([
    [{ kind: "Return", code: null }, "Ach", "Debit", true],
    [{ kind: "Return", code: "R01" }, "Ach", "Credit", false],
    [{ kind: "LateReturn", code: "R03" }, "Rtp", "Credit", false],
    [{ kind: "OutOfOrder", code: null }, "Wire", "Credit", false],
    [{ kind: "DuplicateReturn", code: "R90" }, "Ach", "Credit", false],
    [{ kind: "Reject", code: "AC04" }, "Rtp", "Credit", true],
    [{ kind: "Reject", code: "AC04" }, "Ach", "Credit", false],
    [{ kind: "Reject", code: null }, "Wire", "Credit", true],
    [{ kind: "NoticeOfChange", code: "C01", correctedData: {} }, "Wire", "Credit", false],
    [{ kind: "UnmatchedReturn", code: "R01", chance: "x" }, "Ach", "Debit", true],
    [{ kind: "UnmatchedReturn", code: "R01", chance: "x" }, "Ach", "Credit", false],
    [{ kind: "UnmatchedReturn", code: null, chance: "x" }, "Wire", "Credit", false],
    [{ kind: "SentBack", chance: "x" }, "Wire", "Credit", true],
    [{ kind: "SentBack", chance: "x" }, "Ach", "Credit", false],
    [{ kind: "Outage" }, "Wire", "Credit", true],
    [{ kind: "Outage" }, "Book", "Credit", false],
    [{ kind: "Timeout", then: "Fail" }, "Rtp", "Credit", true],
  ])("%j on a %s %s: %s", (fault, rail, direction, possible) => {
    expect(isPossible(fault, { rail, direction }, "2027-02-08")).toBe(possible);
  });

  it("is on the first day of its code", () => {
    const fault = { kind: "Return", code: "R90" } as const;
    expect(isPossible(fault, { rail: "Ach", direction: "Credit" }, "2028-03-16")).toBe(false);
    expect(isPossible(fault, { rail: "Ach", direction: "Credit" }, "2028-03-17")).toBe(true);
  });

  it("only a rail that has the payment can take a step", () => {
    expect(isAtRail({ kind: "Outage" })).toBe(false);
    expect(isAtRail({ kind: "Timeout", then: "NeverArrived" })).toBe(false);
    expect(isAtRail({ kind: "Timeout", then: "Fail" })).toBe(true);
  });
});

describe("what decides", () => {
  const choose = (
    accountNumber: string | null,
    pending: Parameters<typeof chooseScenario>[1]["pendingInjection"],
    fault: Fault | null,
  ) => {
    const circumstances = {
      pendingInjection: pending,
      fault,
      clock: { mode: "Manual" as const },
      now: monday,
    };
    const { reason, steps } = chooseScenario(
      { rail: "Ach", direction: "Credit", accountNumber },
      circumstances,
    );
    return [reason, ...steps.map(({ event }) => event.kind)].join(" ");
  };
  const fail = { action: "fail", code: "rail_rejected" } as const;
  const lost = { kind: "LostAcknowledgement" } as const;

  it("is the call for the order, then the rule, then the account number, then success", () => {
    expect(choose("100003", fail, lost)).toBe("Injection Failed");
    expect(choose("100003", null, lost)).toBe("Rule Settled");
    expect(choose("100003", null, null)).toBe("MagicNumber Accepted Returned");
    expect(choose(null, null, null)).toBe("Success Accepted Settled");
  });

  it("passes over a rule's fault that can't happen to the payment", () => {
    expect(choose("100003", null, { kind: "Return", code: "R01" })).toBe("MagicNumber Accepted Returned");
    expect(choose(null, null, { kind: "Outage" })).toBe("Success Accepted Settled");
  });
});
