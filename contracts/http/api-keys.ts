import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { mode } from "../rails/rails.ts";
import { scope } from "./scopes.ts";
import { pageOf, pageQuery, timestamp } from "./shapes.ts";

/** Pending: waits for another principal, and opens nothing until then. */
export const apiKeyStatus = z.enum(["Pending", "Active", "Expired", "Revoked", "Denied"]);

export const apiKeyCreate = z
  .strictObject({
    name: z.string().min(1).max(100).meta({ description: "For your own eyes." }),
    principal: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Whom it speaks for; the maker's own principal when omitted." }),
    scopes: z
      .array(scope)
      .min(1)
      .max(20)
      .meta({ description: "What it may do; never more than the key that makes it." }),
    ipAllowlist: z
      .array(z.string().min(1).max(50))
      .max(100)
      .optional()
      .meta({ description: "Addresses and CIDR blocks; none lets every address in." }),
    expiresAt: timestamp.optional().meta({ description: "Never when omitted." }),
  })
  .meta({ id: "ApiKeyCreate" });
export type ApiKeyCreate = z.infer<typeof apiKeyCreate>;

export const apiKey = z
  .object({
    id: idSchema("key"),
    name: z.string(),
    principal: z
      .string()
      .meta({ description: "Whom it speaks for: two keys of one principal count as one approver." }),
    mode,
    scopes: z.array(scope),
    ipAllowlist: z.array(z.string()),
    prefix: z.string().meta({ description: "How the key begins." }),
    last4: z.string().meta({ description: "How it ends." }),
    status: apiKeyStatus.meta({
      description: "Pending: waits for another principal, and opens nothing until then.",
    }),
    createdBy: z.string().meta({ description: "The principal that made it, or `operator`." }),
    createdAt: timestamp,
    approvedBy: z.string().nullable().meta({ description: "The second principal, where it needed one." }),
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().meta({ description: "To the minute." }),
    revokedAt: timestamp.nullable(),
    revokedBy: z.string().nullable(),
    replacedBy: idSchema("key").nullable().meta({ description: "The key that a rotation put in its place." }),
    proposalId: idSchema("prop")
      .nullable()
      .meta({ description: "The proposal that it waits for, while it is Pending." }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKey>;

/** The key in clear, this once: only its SHA-256 is kept, and the answer that is kept for a repeat is without it. */
export const apiKeyCreated = apiKey
  .extend({
    key: z.string().nullable().meta({
      description:
        "The key, in the first answer only. Null when the answer comes again for its Idempotency-Key.",
    }),
  })
  .meta({ id: "ApiKeyCreated" });
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>;

export const apiKeyRotate = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .meta({ description: "For how long the old key still works." }),
  })
  .meta({ id: "ApiKeyRotate" });
export type ApiKeyRotate = z.infer<typeof apiKeyRotate>;

export const apiKeyPage = pageOf(apiKey).meta({ id: "ApiKeyPage" });
export const apiKeyQuery = z.strictObject({ ...pageQuery, status: apiKeyStatus.optional() });
export type ApiKeyQuery = z.infer<typeof apiKeyQuery>;

export const apiKeyProposalStatus = z.enum(["Open", "Approved", "Denied"]);

/** A key that reaches further than its maker may give alone waits for another principal with `keys:write`. */
export const apiKeyProposal = z
  .object({
    id: idSchema("prop"),
    status: apiKeyProposalStatus,
    apiKey,
    reason: z.string().meta({ description: "Why it needs another principal." }),
    proposedBy: z.string().meta({ description: "The principal that asked for it." }),
    proposedAt: timestamp,
    decidedBy: z.string().nullable(),
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: "ApiKeyProposal" });
export type ApiKeyProposal = z.infer<typeof apiKeyProposal>;
export const apiKeyProposalPage = pageOf(apiKeyProposal).meta({ id: "ApiKeyProposalPage" });
export const apiKeyProposalQuery = z.strictObject({ ...pageQuery, status: apiKeyProposalStatus.optional() });
export type ApiKeyProposalQuery = z.infer<typeof apiKeyProposalQuery>;
