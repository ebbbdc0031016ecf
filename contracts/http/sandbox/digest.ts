import { z } from "zod";
import { sha256 } from "../shapes.ts";

export const simulationDigest = z
  .object({
    digest: sha256.meta({ description: "The digest of `orders` and `entries`." }),
    orders: sha256.meta({ description: "The digest of the payment orders." }),
    entries: sha256.meta({ description: "The digest of the ledger's entries." }),
    orderCount: z.int().meta({ description: "How many payment orders it covers." }),
    entryCount: z.int().meta({ description: "How many entries it covers." }),
  })
  .meta({
    id: "SimulationDigest",
    description:
      "SHA-256 of what has happened in a Test book, without ids and times: two books in which the same has happened have the same one.",
  });
export type SimulationDigest = z.infer<typeof simulationDigest>;
