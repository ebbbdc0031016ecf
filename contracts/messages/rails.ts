import { z } from "zod";
import { simulationAction, simulationBody, simulationResult } from "../http/sandbox/simulations.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { command, event, request } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { mode, orderDirection, rail, railReference, encryptedAccountNumber } from "../rails/rails.ts";

/** Hand an order to its rail. The order id is the reference: the same instruction twice is one instruction. */
export const SubmitInstruction = command(
  "rails",
  "submit-instruction",
  z.object({
    orderId: idSchema("po"),
    mode,
    rail,
    direction: orderDirection,
    amountCents,
    currency,
    counterpartyName: z.string(),
    counterpartyAccountNumber: encryptedAccountNumber,
    counterpartyRoutingNumber: z.string(),
    statementDescriptor: z.string().optional(),
  }),
);

/** Ask the rail what it knows of our reference. Answered with the messages again, or with InstructionUnknown. */
export const InquireInstruction = command(
  "rails",
  "inquire-instruction",
  z.object({ orderId: idSchema("po") }),
);

/** Rails number the messages of an instruction; a message for a later phase is kept until its phase comes. */
const ofInstruction = { orderId: idSchema("po"), number: z.int(), occurredAt: timestamp };

export const InstructionAccepted = event(
  "rails",
  "instruction-accepted",
  z.object({ ...ofInstruction, railReference }),
);
export const InstructionSettled = event(
  "rails",
  "instruction-settled",
  z.object({ ...ofInstruction, railReference }),
);
/** The rail refused it or gave up: no money moved. `code` is the rail's own (AC03) or ours (`rail_rejected`). */
export const InstructionFailed = event(
  "rails",
  "instruction-failed",
  z.object({ ...ofInstruction, code: z.string(), message: z.string() }),
);
/** The bank sent the money back. Unique per (order, trace, code). */
export const InstructionReturned = event(
  "rails",
  "instruction-returned",
  z.object({ ...ofInstruction, code: z.string(), traceNumber: z.string() }),
);
/** The rail knows nothing of this reference: submit again under the same one. */
export const InstructionUnknown = event(
  "rails",
  "instruction-unknown",
  z.object({ orderId: idSchema("po") }),
);

/** QA makes a rail do something to one order (Test books only). */
export const SimulateInstruction = request(
  "rails",
  "simulate-instruction",
  z.object({ orderId: z.string(), action: simulationAction, ...simulationBody.shape }),
  simulationResult,
);
