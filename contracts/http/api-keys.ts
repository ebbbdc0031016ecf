import { z } from "zod";
import { idSchema } from "../ids.ts";
import { mode } from "../rails.ts";
import { scope } from "./scopes.ts";
import { pageOf, pageQuery, timestamp } from "./shapes.ts";

/** Pending: waits for another principal, and opens nothing until then. */
export const apiKeyStatus = z.enum(["Pending", "Active", "Expired", "Revoked", "Denied"]);

export const apiKeyCreate = z
  .strictObject({
    name: z.string().min(1).max(100),
    principal: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Whom it speaks for; the maker's own principal when omitted." }),
    scopes: z.array(scope).min(1).max(20),
    ipAllowlist: z.array(z.string().min(1).max(50)).max(100).optional(),
    expiresAt: timestamp.optional(),
  })
  .meta({ id: "ApiKeyCreate" });
export type ApiKeyCreate = z.infer<typeof apiKeyCreate>;

export const apiKey = z
  .object({
    id: idSchema("key"),
    name: z.string(),
    principal: z.string(),
    mode,
    scopes: z.array(scope),
    ipAllowlist: z.array(z.string()),
    prefix: z.string(),
    last4: z.string(),
    status: apiKeyStatus,
    createdBy: z.string(),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    /** To the minute. */
    lastUsedAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    /** The proposal that it waits for, while it is Pending. */
    proposalId: idSchema("prop").nullable(),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKey>;

/** The key in clear, this once: only its SHA-256 is kept. */
export const apiKeyCreated = apiKey.extend({ key: z.string() }).meta({ id: "ApiKeyCreated" });
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>;

export const apiKeyRotate = z
  .strictObject({ overlapHours: z.int().min(0).max(168).default(24) })
  .meta({ id: "ApiKeyRotate" });

export const apiKeyPage = pageOf(apiKey).meta({ id: "ApiKeyPage" });
export const apiKeyQuery = z.strictObject({ ...pageQuery, status: apiKeyStatus.optional() });

/** A key that reaches further than its maker may give alone waits for another principal with `keys:write`. */
export const apiKeyProposal = z
  .object({
    id: idSchema("prop"),
    status: z.enum(["Open", "Approved", "Denied"]),
    apiKey,
    reason: z.string().meta({ description: "Why it needs another principal." }),
    proposedBy: z.string(),
    proposedAt: timestamp,
    decidedBy: z.string().nullable(),
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: "ApiKeyProposal" });
export type ApiKeyProposal = z.infer<typeof apiKeyProposal>;
export const apiKeyProposalPage = pageOf(apiKeyProposal).meta({ id: "ApiKeyProposalPage" });
