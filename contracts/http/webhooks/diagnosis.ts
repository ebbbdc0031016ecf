import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { secretUsed } from "./signing-secrets.ts";

/** Several times the largest event. */
const maxBodyBytes = 64 * 1024;

export const webhookDiagnose = z
  .strictObject({
    endpointId: idSchema("we"),
    body: z
      .string()
      .max(maxBodyBytes)
      .refine((body) => body.length > maxBodyBytes || new TextEncoder().encode(body).length <= maxBodyBytes, {
        error: "must have at most 64 KiB in UTF-8: every event is smaller",
      })
      .meta({
        description: "The body as your receiver verified it: at most 64 KiB in UTF-8. Events are smaller.",
      }),
    header: z.string().min(1).max(4096).meta({
      description: "The value of `X-Service-Signature` or of `webhook-signature`.",
    }),
    timestamp: z
      .string()
      .regex(/^\d{1,12}$/, { error: "must be the value of webhook-timestamp: Unix time in seconds" })
      .optional()
      .meta({ description: "The value of `webhook-timestamp`. Required with `webhook-signature`." }),
    id: z.string().min(1).max(255).optional().meta({
      description: "The value of `webhook-id`. Default: the `id` in the body.",
    }),
  })
  .superRefine(({ header, timestamp }, context) => {
    if (timestamp !== undefined || !/^\s*v1,/.test(header)) return;
    context.addIssue({
      code: "custom",
      path: ["timestamp"],
      message: "is required with webhook-signature, which signs it",
      params: { code: "missing_field" },
    });
  })
  .meta({ id: "WebhookDiagnose", description: "A request that your receiver could not verify." });
export type WebhookDiagnose = z.infer<typeof webhookDiagnose>;

const verdict = namedEnum("WebhookVerdict", "What is wrong with a signature.", {
  Valid: "A secret of the endpoint that still signs made it, for this body.",
  RetiredSecret: "A secret of the endpoint made it, for this body. That secret is retired.",
  TimestampTooOld: "It is valid, but its timestamp is more than 5 minutes ago.",
  TimestampTooNew: "It is valid, but its timestamp is more than 5 minutes ahead.",
  BodyReserialized:
    "It signs the event as we sent it. This body is the same JSON with other white space, escapes or order of members.",
  BodyAltered: "It signs the event as we sent it. This body has other content.",
  OtherEndpoint: "A secret of another endpoint of yours made it.",
  WrongSecret:
    "None of the last 20 secrets of any of your endpoints made it, for this body or for the event as we sent it.",
  MalformedHeader: "The header has no signature in either scheme.",
});
export type WebhookVerdict = z.infer<typeof verdict>;

const scheme = namedEnum("SignatureScheme", "How a signature is made.", {
  Service: "`X-Service-Signature`: hexadecimal HMAC-SHA256 of the body.",
  Standard: "`webhook-signature`: `v1,` and base64 HMAC-SHA256 of id, timestamp and body.",
});
export type SignatureScheme = z.infer<typeof scheme>;

export const webhookDiagnosis = z
  .object({
    verdict,
    explanation: z.string().meta({ description: "What to do, in a sentence or two." }),
    scheme: scheme.nullable().meta({ description: "The scheme of the header. Null: neither." }),
    secret: secretUsed
      .nullable()
      .meta({ description: "The secret that made the signature, if it is one of yours." }),
    signedByEndpointId: idSchema("we")
      .nullable()
      .meta({ description: "The endpoint whose secret made the signature, if it is one of yours." }),
    eventId: idSchema("evt").nullable().meta({
      description: "The event that was found by `id`. Null: we have no such event any more, or never had.",
    }),
    firstDifferentByte: z.int().nullable().meta({
      description:
        "Where the body begins to differ from what we sent, in bytes from 0. Null: nowhere, or not known.",
    }),
  })
  .meta({ id: "WebhookDiagnosis", description: "Why a signature does or does not verify." });
export type WebhookDiagnosis = z.infer<typeof webhookDiagnosis>;
