/** What a tester reads of the simulation, as the reference page shows it. */
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
      { number: 1, event: "Accepted", code: null, dueAt: at(31), reportedAt: at(31) },
      { number: 2, event: "Returned", code: "R03", dueAt: at(86_400_000), reportedAt: null },
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
};
