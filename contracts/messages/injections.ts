import { z } from "zod";
import {
  correctionWithoutAccount,
  injection,
  injectionPage,
  injectionQuery,
  matchWithoutAccount,
  ruleWithoutNumbers,
  withOneMember,
} from "../http/sandbox/injections.ts";
import { simulatedOrder, simulatedRails } from "../http/sandbox/simulated-rails.ts";
import { simulationLogPage, simulationLogQuery } from "../http/sandbox/simulation-log.ts";
import { request } from "../message.ts";
import { encryptedAccountNumber } from "../rails/rails.ts";

const encrypted = encryptedAccountNumber.optional();

/** A tester makes a rule for what rails do with payments (Test books only). Its account numbers travel encrypted. */
export const CreateInjection = request(
  "rails",
  "create-injection",
  z.object({
    match: withOneMember(z.object({ ...matchWithoutAccount, accountNumber: encrypted })),
    ...ruleWithoutNumbers,
    correctedData: z.object({ ...correctionWithoutAccount, accountNumber: encrypted }).optional(),
  }),
  injection,
);
export const ListInjections = request("rails", "list-injections", injectionQuery, injectionPage);
export const GetInjection = request("rails", "get-injection", z.object({ id: z.string() }), injection);
/** The rule no longer acts. What it has done stays. */
export const EndInjection = request("rails", "end-injection", z.object({ id: z.string() }), z.object({}));

/** What the simulator did and will do. */
export const GetSimulatedOrder = request(
  "rails",
  "get-simulated-order",
  z.object({ id: z.string() }),
  simulatedOrder,
);
export const GetSimulatedRails = request("rails", "get-simulated-rails", z.object({}), simulatedRails);
export const ListSimulationLog = request(
  "rails",
  "list-simulation-log",
  simulationLogQuery,
  simulationLogPage,
);
