import { z } from "zod";

export const simulationActions = ["accept", "settle", "fail", "return", "late-return"] as const;
export const simulationAction = z.enum(simulationActions);
export type SimulationAction = z.infer<typeof simulationAction>;

export const simulationBody = z
  .strictObject({
    /** A return code (`R01`), or a reject code (`AC03`) for `fail` on Rtp. */
    code: z
      .string()
      .regex(/^[A-Z0-9]{3,4}$/)
      .optional(),
    force: z.boolean().optional().meta({
      description:
        "Lets happen what can't: a code that rail and direction don't allow, or a rail that contradicts itself (settles what it refused, returns a payment twice).",
    }),
  })
  .meta({ id: "Simulation" });

export const simulationResult = z
  .object({
    paymentOrderId: z.string(),
    action: simulationAction,
    code: z.string().nullable(),
    effect: z
      .enum(["Applied", "Kept"])
      .meta({ description: "Applied: the instruction was at its rail. Kept: it takes effect at hand-off." }),
  })
  .meta({ id: "SimulationResult" });
