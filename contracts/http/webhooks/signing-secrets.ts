import { z } from "zod";
import { namedEnum } from "../../named-enum.ts";

const secretAge = namedEnum(
  "SigningSecretAge",
  "Whether a signing secret still signs, and whether it is the newest of its endpoint.",
  {
    Newest: "The last one that was made.",
    Previous: "An older one that still signs.",
    Retired: "It does not sign any more.",
  },
);
export type SecretAge = z.infer<typeof secretAge>;

/** Names a signing secret without showing it. */
export const secretUsed = z
  .object({
    version: z.int().meta({ description: "Counts the endpoint's secrets from 1." }),
    age: secretAge,
  })
  .meta({ id: "SigningSecretUsed", description: "One of an endpoint's signing secrets." });
export type SecretUsed = z.infer<typeof secretUsed>;
