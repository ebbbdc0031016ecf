import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { namedEnum } from "../named-enum.ts";
import { mode } from "../rails/rails.ts";
import { comparedName, nameText } from "../text/text.ts";
import { scope } from "./scopes.ts";
import { createdAt, everyTime, oneOrMany, pageOf, pageQuery, principal, timestamp } from "./shapes.ts";

export const apiKeyStatus = namedEnum("ApiKeyStatus", "Whether the key can be used.", {
  Pending: "Waits for another principal's approval. It can't be used until then.",
  Active: "Can be used.",
  Expired: "Past its `expiresAt`.",
  Revoked: "Revoked. It can never be used again.",
  Denied: "Its proposal was denied. It can never be used.",
});

export const apiKeyCreate = z
  .strictObject({
    name: nameText(100).meta({ description: "A label for the key." }),
    principal: comparedName(100).optional().meta({
      description: "The person or system that the key acts for. Default: the principal of your key.",
    }),
    scopes: z
      .array(scope)
      .min(1)
      .max(20)
      .meta({ description: "What the key may do. Only scopes that your own key has." }),
    ipAllowlist: z.array(z.string().min(1).max(50)).max(100).optional().meta({
      description:
        "Addresses and CIDR blocks that may use the key. Default: those of your own key, which is any address unless it is limited.",
    }),
    expiresAt: everyTime.optional().meta({
      description:
        "When the key expires. Default: when your own key does, which is never unless it is limited.",
    }),
  })
  .meta({ id: "ApiKeyCreate", description: "A new API key." });
export type ApiKeyCreate = z.infer<typeof apiKeyCreate>;

export const apiKey = z
  .object({
    id: idSchema("key"),
    name: z.string().meta({ description: "A label for the key." }),
    principal: principal(
      "The person or system that the key acts for. Two keys of one principal count as one approver.",
    ),
    mode,
    scopes: z.array(scope).meta({ description: "What the key may do." }),
    ipAllowlist: z
      .array(z.string())
      .meta({ description: "Addresses and CIDR blocks that may use the key. Empty: any address." }),
    prefix: z.string().meta({ description: "The first characters of the key." }),
    last4: z.string().meta({ description: "The last four characters of the key." }),
    status: apiKeyStatus,
    createdBy: principal("The principal that created it, or `operator`."),
    createdAt,
    approvedBy: principal("The second principal, where one was needed.").nullable(),
    expiresAt: timestamp.nullable().meta({ description: "When the key expires. Null: never." }),
    lastUsedAt: timestamp.nullable().meta({ description: "When it was last used, to the minute." }),
    revokedAt: timestamp.nullable().meta({ description: "When it was revoked." }),
    revokedBy: principal("The principal that revoked it.").nullable(),
    replacedBy: idSchema("key")
      .nullable()
      .meta({ description: "The key that replaces this one after a rotation." }),
    proposalId: idSchema("prop")
      .nullable()
      .meta({ description: "The proposal to approve, for a key that needs a second principal." }),
  })
  .meta({ id: "ApiKey", description: "An API key, without the key itself." });
export type ApiKey = z.infer<typeof apiKey>;

/** The key in clear, this once: only its SHA-256 is stored, with the parts that a repeat shows. */
export const apiKeyCreated = apiKey
  .extend({
    key: z.string().meta({
      description:
        "The key itself, in the first answer only. When the request is repeated with its Idempotency-Key, its prefix and last four characters: `qt_test_…1a2B`. If you lost it, make a new one.",
    }),
  })
  .meta({ id: "ApiKeyCreated", description: "A new API key, with the key itself." });
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>;

export const apiKeyRotate = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .meta({ description: "How many hours the old key keeps working. 0 ends it at once." }),
  })
  .meta({ id: "ApiKeyRotate", description: "How to replace a key." });
export type ApiKeyRotate = z.infer<typeof apiKeyRotate>;

export const apiKeyRevoke = z
  .strictObject({
    includeDescendants: z.boolean().default(false).meta({
      description: "True to end every key that this key made, directly or through others, together with it.",
    }),
  })
  .meta({ id: "ApiKeyRevoke", description: "How to revoke a key." });
export type ApiKeyRevoke = z.infer<typeof apiKeyRevoke>;

export const apiKeyRevoked = apiKey
  .extend({
    descendants: z.array(apiKey).meta({
      description:
        "The keys that this key made, directly or through others: those that ended with it, or without `includeDescendants` those that still work or wait.",
    }),
  })
  .meta({ id: "ApiKeyRevoked", description: "A revoked API key, with the keys that it made." });
export type ApiKeyRevoked = z.infer<typeof apiKeyRevoked>;

export const apiKeyPage = pageOf(apiKey).meta({ id: "ApiKeyPage", description: "One page of API keys." });
export const apiKeyQuery = z.strictObject({ ...pageQuery, status: oneOrMany(apiKeyStatus) });
export type ApiKeyQuery = z.infer<typeof apiKeyQuery>;

export const apiKeyProposalStatus = namedEnum("ApiKeyProposalStatus", "What became of the proposal.", {
  Open: "Waits for another principal.",
  Approved: "Approved: the key can be used.",
  Denied: "Denied: the key can never be used.",
});

/** A key with more rights than its maker may give alone waits for another principal with `keys:write`. */
export const apiKeyProposal = z
  .object({
    id: idSchema("prop"),
    status: apiKeyProposalStatus,
    apiKey: apiKey.meta({ description: "The proposed key." }),
    reason: z.string().meta({ description: "Why a second principal is needed." }),
    proposedBy: principal("The principal that created the key."),
    proposedAt: timestamp.meta({ description: "When it was proposed." }),
    decidedBy: principal("The principal that approved or denied it.").nullable(),
    decidedAt: timestamp.nullable().meta({ description: "When it was approved or denied." }),
  })
  .meta({ id: "ApiKeyProposal", description: "A new API key that needs a second principal's approval." });
export type ApiKeyProposal = z.infer<typeof apiKeyProposal>;
export const apiKeyProposalPage = pageOf(apiKeyProposal).meta({
  id: "ApiKeyProposalPage",
  description: "One page of proposed API keys.",
});
export const apiKeyProposalQuery = z.strictObject({ ...pageQuery, status: oneOrMany(apiKeyProposalStatus) });
export type ApiKeyProposalQuery = z.infer<typeof apiKeyProposalQuery>;
