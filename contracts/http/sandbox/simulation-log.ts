import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { pageOf, pageQuery, timestamp } from "../shapes.ts";

export const simulationLogKind = namedEnum("SimulationLogKind", "What was done to the simulation.", {
  InjectionCreated: "A rule was made.",
  InjectionApplied: "A rule acted on a payment at its hand-off.",
  InjectionEnded: "A rule was ended.",
  PaymentOrderSimulated: "A rail event was simulated by a call.",
  InboundPaymentSimulated: "An inbound payment was simulated.",
  BankStatementFaultCreated: "An error was put on the bank's next statement.",
  BankStatementFaultCorrected: "The bank was made to correct an error.",
  ClockSet: "The clock was set.",
  ClockAdvanced: "An advance of the clock was started.",
});
export type SimulationLogKind = z.infer<typeof simulationLogKind>;

const simulationLogEntry = z
  .object({
    kind: simulationLogKind,
    at: timestamp.meta({ description: "When it was done, in real time." }),
    bookTime: timestamp.meta({ description: "The time in the book." }),
    by: z.string().nullable().meta({ description: "Who did it; null for the rail itself." }),
    paymentOrderId: idSchema("po").nullable().meta({ description: "The payment order." }),
    injectionId: idSchema("inj").nullable().meta({ description: "The rule." }),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.null()]))
      .meta({ description: "What exactly was done.", examples: [{ fault: "Return", code: "R03" }] }),
  })
  .meta({ id: "SimulationLogEntry", description: "Something that was done to the simulation." });
export type SimulationLogEntry = z.infer<typeof simulationLogEntry>;

export const simulationLogPage = pageOf(simulationLogEntry).meta({
  id: "SimulationLogPage",
  description: "One page of the simulation's log.",
});
export const simulationLogQuery = z.strictObject({
  paymentOrderId: idSchema("po").optional().meta({ description: "Only what was done to this order." }),
  ...pageQuery,
});
