/** API keys and their proposals, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type { apiKey, apiKeyCreate, apiKeyProposal, apiKeyRevoke, apiKeyRevoked } from "../api-keys.ts";
import { at, ids } from "./ids.ts";

const key = {
  id: ids.key,
  name: "Payments backend",
  principal: "payments-backend",
  mode: "Test",
  scopes: ["orders:read", "orders:write"],
  ipAllowlist: ["203.0.113.0/24"],
  prefix: "qt_test_",
  last4: "x4Rk",
  status: "Active",
  createdBy: "platform-lead",
  createdAt: at(0),
  approvedBy: null,
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  revokedBy: null,
  replacedBy: null,
  proposalId: null,
} satisfies z.output<typeof apiKey>;

export const apiKeyExamples = {
  ApiKeyCreate: {
    name: "Payments backend",
    principal: "payments-backend",
    scopes: ["orders:read", "orders:write"],
    ipAllowlist: ["203.0.113.0/24"],
  } satisfies z.input<typeof apiKeyCreate>,
  ApiKey: key,
  ApiKeyCreated: { ...key, key: "qt_test_shown-here-and-never-again" },
  ApiKeyRotate: { overlapHours: 24 },
  ApiKeyRevoke: { includeDescendants: true } satisfies z.input<typeof apiKeyRevoke>,
  ApiKeyRevoked: {
    ...key,
    status: "Revoked",
    revokedAt: at(400),
    revokedBy: "platform-lead",
    descendants: [],
  } satisfies z.output<typeof apiKeyRevoked>,
  ApiKeyProposal: {
    id: ids.proposal,
    status: "Open",
    apiKey: { ...key, scopes: ["orders:approve"], status: "Pending", proposalId: ids.proposal },
    reason: "A key that approves comes from two principals.",
    proposedBy: "platform-lead",
    proposedAt: at(0),
    decidedBy: null,
    decidedAt: null,
  } satisfies z.output<typeof apiKeyProposal>,
};
