/** The signing secrets of an endpoint: their rotation, their retirement, and the test of the newest one. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { createdAt, timestamp } from "../shapes.ts";

/** The body of POST /v1/webhook-endpoints/:id/rotate-secret. */
export const webhookSecretRotate = z
  .strictObject({
    overlapHours: z.int().min(0).max(168).default(24).meta({
      description: "How many hours the older secrets go on signing beside the new one. 0 ends them at once.",
    }),
  })
  .meta({ id: "WebhookSecretRotate", description: "How to replace a signing secret." });
export type WebhookSecretRotate = z.output<typeof webhookSecretRotate>;
const activeSecrets = z
  .array(
    z.object({
      createdAt,
      retiresAt: timestamp.nullable().meta({
        description:
          "Until when it signs, in real time. Null for the newest, which signs until it is replaced.",
      }),
    }),
  )
  .meta({ description: "The secrets that sign every attempt from now on, newest first. At most five." });
/** The answer to a retirement. */
export const webhookSecrets = z.object({ endpointId: idSchema("we"), activeSecrets }).meta({
  id: "WebhookSecrets",
  description: "The signing secrets of a webhook endpoint, without their text.",
});
export type WebhookSecrets = z.infer<typeof webhookSecrets>;
/** The answer to a rotation, the only one that shows the new secret. */
export const webhookSecretRotated = webhookSecrets
  .extend({
    signingSecret: z.string().meta({
      description:
        "The new secret, in the first answer only. When the request is repeated with its Idempotency-Key, it is masked: `whsec_…` and the last four characters.",
    }),
  })
  .meta({ id: "WebhookSecretRotated", description: "The new signing secret of a webhook endpoint." });
export type WebhookSecretRotated = z.infer<typeof webhookSecretRotated>;

/** The body of POST /v1/webhook-endpoints/:id/test. */
export const webhookEndpointTest = z
  .strictObject({
    secret: namedEnum("TestSecret", "Which secrets sign the test.", {
      Newest: "The newest alone. If your receiver accepts it, you can retire the older ones.",
    })
      .optional()
      .meta({
        description: "Which secrets sign the test. Default: all that are active, as for every event.",
      }),
  })
  .meta({ id: "WebhookEndpointTest", description: "How to test a webhook endpoint." });
