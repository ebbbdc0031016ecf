import { z } from "zod";
import { clockMode } from "../../book-clock.ts";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { rail } from "../../rails/rails.ts";
import { lineText } from "../../text/text.ts";
import { anyTime, createdAt, timestamp } from "../shapes.ts";

const seed = lineText(64).meta({
  description: "Decides everything that is random in the simulation: the same seed gives the same outcomes.",
  examples: ["release-42"],
});

export const clockPut = z
  .strictObject({
    mode: clockMode,
    startAt: anyTime.optional().meta({
      description:
        "The time in the book from now on. Only while the clock is Instant; later, advance a Manual clock.",
    }),
    seed: seed.min(1).optional(),
  })
  .meta({ id: "ClockPut", description: "A Test book's clock. What you leave out stays as it is." });
export type ClockPut = z.infer<typeof clockPut>;

export const clock = z
  .object({
    mode: clockMode,
    now: timestamp.meta({ description: "The time in the book." }),
    leadSeconds: z.number().meta({
      description: "How far the book was ahead of real time when its clock was last set or advanced.",
    }),
    seed: z.string().meta({ description: "What decides everything random in the simulation." }),
    advanceId: idSchema("adv").nullable().meta({ description: "The advance that is running." }),
  })
  .meta({ id: "Clock", description: "A Test book's clock." });
export type Clock = z.infer<typeof clock>;

export const clockAdvanceCreate = z
  .strictObject({
    to: anyTime.optional().meta({ description: "Advance to this time." }),
    nextWindow: rail.optional().meta({ description: "Advance to when this rail opens next." }),
    nextBankingDay: z.literal(true).optional().meta({
      description: "Advance to the first instant of the next banking day in New York.",
    }),
    nextEvent: z.literal(true).optional().meta({
      description: "Advance to the next time at which something happens in the book.",
    }),
  })
  .refine((body) => Object.values(body).filter((value) => value !== undefined).length === 1, {
    message: "must have exactly one of to, nextWindow, nextBankingDay and nextEvent",
  })
  .meta({ id: "ClockAdvanceCreate", description: "How far to advance the clock: one of the fields." });
export type ClockAdvanceCreate = z.infer<typeof clockAdvanceCreate>;

const advanceStatus = namedEnum("ClockAdvanceStatus", "How far the advance is.", {
  Running: "Under way.",
  Done: "The clock has arrived, and everything that was due has happened.",
  Stuck: "A message or a service has not answered for 30 seconds. It goes on once that is resolved.",
});

export const clockAdvance = z
  .object({
    id: idSchema("adv"),
    status: advanceStatus,
    from: timestamp.meta({ description: "The time in the book when it began." }),
    to: timestamp.meta({ description: "The time to arrive at." }),
    now: timestamp.meta({ description: "The time that it has reached." }),
    steps: z.int().meta({ description: "At how many times it has stopped." }),
    waitingFor: z.string().nullable().meta({
      description: "What it waits for: a service, and the message that the service has not handled.",
    }),
    createdAt,
    endedAt: timestamp.nullable().meta({ description: "When it arrived, in real time." }),
  })
  .meta({ id: "ClockAdvance", description: "A job that advances a Manual clock step by step." });
export type ClockAdvance = z.infer<typeof clockAdvance>;
