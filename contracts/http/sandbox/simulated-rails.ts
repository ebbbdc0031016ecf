import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { externalRail, orderDirection, railReference } from "../../rails/rails.ts";
import { timestamp } from "../shapes.ts";
import { simulationAction } from "./simulations.ts";

const state = namedEnum("SimulatedOrderState", "How far the rail is with a payment order.", {
  NotHandedOff: "It is not at its rail yet.",
  Held: "It was handed off, and its rail is out.",
  Lost: "It was handed off and got lost. Handed off again, it arrives.",
  AtRail: "Its rail has it.",
});
const reason = namedEnum("SimulatedReason", "Why the rail does what it does.", {
  Call: "A call asked for it.",
  Rule: "An injection rule acted on it at its hand-off.",
  MagicNumber: "Its account number asked for it.",
  Success: "Nothing else: it settles.",
});
export const simulatedEvent = namedEnum("SimulatedEvent", "What the rail reports.", {
  Accepted: "It has accepted the payment.",
  Settled: "It has settled the payment.",
  Failed: "It has rejected the payment.",
  Returned: "The receiver's bank has returned the payment.",
  NoticeOfChange: "The receiver's bank has corrected the payment's data.",
  UnmatchedReturn: "A bank has returned an entry that is none of yours.",
  SentBack: "The receiver has sent the money back as a new payment.",
});

const simulatedStep = z
  .object({
    number: z.int().meta({ description: "Counts the events of the payment from 1." }),
    event: simulatedEvent,
    code: z.string().nullable().meta({ description: "The code of a reject, return or change." }),
    reference: z.string().nullable().meta({
      description: "The trace number of an UnmatchedReturn; the bank's reference of a SentBack.",
    }),
    dueAt: timestamp.nullable().meta({
      description: "When it is due, on the book's clock; null if the rail says nothing until it is asked.",
    }),
    reportedAt: timestamp.nullable().meta({ description: "When the rail reported it; null before." }),
  })
  .meta({ id: "SimulatedStep", description: "An event that the rail has reported or will report." });

export const simulatedOrder = z
  .object({
    paymentOrderId: idSchema("po"),
    state,
    reason: reason.nullable().meta({ description: "Why; null before the hand-off." }),
    injectionId: idSchema("inj").nullable().meta({ description: "The rule that acted on it." }),
    kept: z
      .object({
        action: simulationAction,
        code: z.string().nullable().meta({ description: "Its code." }),
      })
      .nullable()
      .meta({ id: "KeptSimulation", description: "What a call has stored for the hand-off." }),
    handedOffAt: timestamp.nullable().meta({ description: "When its rail took it, on the book's clock." }),
    railReference: railReference
      .nullable()
      .meta({ id: "SimulatedReference", description: "The rail's reference." }),
    silenced: z.boolean().meta({ description: "True while its rail is out and says nothing of it." }),
    steps: z.array(simulatedStep).meta({ description: "What the rail did and will do, in order." }),
  })
  .meta({ id: "SimulatedOrder", description: "What the simulator did with a payment order, and will do." });
export type SimulatedOrder = z.infer<typeof simulatedOrder>;

const simulatedRail = z
  .object({
    rail: externalRail,
    directions: z.array(orderDirection).meta({ description: "What it carries." }),
    open: z.boolean().meta({ description: "True while it takes payments, by its window." }),
    cutoffAt: timestamp
      .nullable()
      .meta({ description: "When its window closes; null if it has none, or is closed." }),
    opensAt: timestamp.nullable().meta({ description: "When it opens next; null while it is open." }),
    outageId: idSchema("inj").nullable().meta({ description: "The rule by which it is out." }),
    held: z.int().meta({ description: "How many payments wait for the end of its outage, at most 1,000." }),
    inFlight: z.int().meta({ description: "How many payments have events to come, at most 1,000." }),
    nextStepAt: timestamp.nullable().meta({ description: "When the next of these events is due." }),
    injectionIds: z.array(idSchema("inj")).meta({
      description: "The active rules that can act on its payments, the oldest first, at most 100.",
    }),
  })
  .meta({ id: "SimulatedRail", description: "What a rail of the sandbox does now." });

export const simulatedRails = z
  .object({
    now: timestamp.meta({ description: "The time in the book." }),
    data: z.array(simulatedRail).meta({ description: "Every rail but Book." }),
  })
  .meta({ id: "SimulatedRails", description: "The rails of a Test book." });
export type SimulatedRails = z.infer<typeof simulatedRails>;
