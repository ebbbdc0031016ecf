import { z } from "zod";
import { namedEnum } from "../../named-enum.ts";
import { correctionBody } from "./injections.ts";

export const simulationAction = namedEnum("SimulationAction", "What the rail does with the order.", {
  accept: "Accepts it.",
  settle: "Settles it.",
  fail: "Rejects it.",
  return: "Returns it before completion.",
  "late-return": "Settles it, unless it has settled, and returns it.",
  "notify-of-change": "Corrects its data, after the settlement. No money moves.",
});
export const simulationActions = simulationAction.options;
export type SimulationAction = z.infer<typeof simulationAction>;

export const simulationBody = z
  .strictObject({
    code: z
      .string()
      .regex(/^[A-Z0-9]{3,4}$/)
      .optional()
      .meta({
        description:
          "A return code such as `R01`. For `fail` on Rtp, a reject code such as `AC03`. For `notify-of-change` a change code such as `C02`, which is required.",
      }),
    correctedData: correctionBody
      .optional()
      .meta({ description: "Only with `notify-of-change`: what its code corrects, no more and no less." }),
    force: z.boolean().optional().meta({
      description:
        "Allow what a real rail would not do: a code that does not exist for the rail and direction, a settlement after a refusal, a second return.",
    }),
  })
  .meta({ id: "Simulation", description: "Details of the simulated action." });

const effect = namedEnum("SimulationEffect", "When it takes effect.", {
  Applied: "At once: the order was at its rail.",
  Kept: "Stored. It takes effect at hand-off.",
  Repeat: "The rail had reported this return already. It reports it again, and no money moves.",
});

export const simulationResult = z
  .object({
    paymentOrderId: z.string().meta({ description: "The payment order's id." }),
    action: simulationAction,
    code: z.string().nullable().meta({ description: "The code that you sent." }),
    effect,
  })
  .meta({ id: "SimulationResult", description: "What the simulation will do." });
