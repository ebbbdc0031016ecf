/** What a tester reads of the simulation, as the reference page shows it. */
import type { simulationDigest } from "../sandbox/digest.ts";
import type { clock, clockAdvance, clockAdvanceCreate, clockPut } from "../sandbox/clock.ts";
import type { injection, injectionCreate } from "../sandbox/injections.ts";
import type { simulationBody, simulationResult } from "../sandbox/simulations.ts";
import type { z } from "zod";
import type { simulatedOrder, simulatedRails } from "../sandbox/simulated-rails.ts";
import type { simulationLogPage } from "../sandbox/simulation-log.ts";
import { at, ids } from "./ids.ts";

const rule = "inj_01jd3k2r5de6n0y4w8b7v3f1sq";

/** By the schema's id. */
export const simulationExamples = {
  SimulatedOrder: {
    paymentOrderId: ids.order,
    state: "AtRail",
    reason: "Rule",
    injectionId: rule,
    kept: null,
    handedOffAt: at(31),
    railReference: { traceNumber: "790001000000042" },
    silenced: false,
    steps: [
      { number: 1, event: "Accepted", code: null, reference: null, dueAt: at(31), reportedAt: at(31) },
      { number: 2, event: "Returned", code: "R03", reference: null, dueAt: at(86_400_000), reportedAt: null },
    ],
  } satisfies z.output<typeof simulatedOrder>,
  SimulatedRails: {
    now: at(400),
    data: [
      {
        rail: "Ach",
        directions: ["Credit", "Debit"],
        open: true,
        cutoffAt: at(24_300_000),
        opensAt: null,
        outageId: null,
        held: 0,
        inFlight: 3,
        nextStepAt: at(86_400_000),
        injectionIds: [rule],
      },
    ],
  } satisfies z.output<typeof simulatedRails>,
  SimulationLogPage: {
    data: [
      {
        kind: "InjectionApplied",
        at: at(31),
        bookTime: at(31),
        by: null,
        paymentOrderId: ids.order,
        injectionId: rule,
        details: { fault: "Return", code: "R03" },
      },
    ],
    nextCursor: null,
    hasMore: false,
  } satisfies z.output<typeof simulationLogPage>,
  Simulation: { code: "R03" } satisfies z.input<typeof simulationBody>,
  SimulationResult: {
    paymentOrderId: ids.order,
    action: "return",
    code: "R03",
    effect: "Kept",
  } satisfies z.output<typeof simulationResult>,
  SimulationDigest: {
    digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    orders: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    entries: "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13",
    orderCount: 4_500,
    entryCount: 21_408,
  } satisfies z.output<typeof simulationDigest>,
  ClockPut: { mode: "Manual", startAt: "2027-02-12T20:00:00Z" } satisfies z.input<typeof clockPut>,
  Clock: {
    mode: "Manual",
    now: "2027-02-12T20:00:00.000Z",
    leadSeconds: 29_808_000,
    seed: "release-42",
    advanceId: null,
  } satisfies z.output<typeof clock>,
  ClockAdvanceCreate: { nextBankingDay: true } satisfies z.input<typeof clockAdvanceCreate>,
  ClockAdvance: {
    id: "adv_01jd3k2r5de6n0y4w8b7v3f1sq",
    status: "Done",
    from: "2027-02-12T20:00:00.000Z",
    to: "2027-02-16T05:00:00.000Z",
    now: "2027-02-16T05:00:00.000Z",
    steps: 4,
    waitingFor: null,
    createdAt: at(0),
    endedAt: at(400),
  } satisfies z.output<typeof clockAdvance>,
  InjectionCreate: {
    match: { rail: "Ach", direction: "Credit" },
    fault: "Return",
    code: "R03",
    share: 0.1,
    seed: "release-42",
    count: 20,
  } satisfies z.input<typeof injectionCreate>,
  Injection: {
    id: "inj_01jd3k2r5de6n0y4w8b7v3f1sq",
    status: "Active",
    match: { orderId: null, externalId: null, rail: "Ach", accountNumber: null, direction: "Credit" },
    fault: "Return",
    code: "R03",
    then: null,
    delaySeconds: null,
    correctedData: null,
    share: 0.1,
    seed: "release-42",
    count: 20,
    until: null,
    applied: 3,
    shadowedBy: null,
    createdBy: "qa",
    createdAt: at(0),
    endedBy: null,
    endedAt: null,
  } satisfies z.output<typeof injection>,
};
