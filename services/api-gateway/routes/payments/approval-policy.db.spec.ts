import { describe, expect, it } from "vitest";
import type { ApprovalPolicy } from "../../../../contracts/http/payments/approval-policies.ts";
import type { Scope } from "../../../../contracts/http/scopes.ts";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  DecidePolicyProposal,
  GetApprovalPolicy,
  PutApprovalPolicy,
} from "../../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();

const path = "/v1/approval-policy";
const policy: ApprovalPolicy = {
  requireApprovalForAll: false,
  approvalThresholdCents: 1_000_000,
  dualApprovalThresholdCents: 5_000_000,
  dualApprovalRails: ["Wire"],
  allowSelfApproval: false,
  requireVerifiedCounterparty: false,
  requireApprovalForLedgerTransactions: false,
  dailyLimitCents: null,
  approvalExpiresAfterHours: 72,
};
const put = (body: unknown) =>
  gateway.call("PUT", path, { key, body, headers: { "idempotency-key": "a policy" } });

describe("a PUT of the approval policy", () => {
  it("answers 200 with the policy that was sent when it applies at once, and GET answers with it too", async () => {
    await gateway.owner(PutApprovalPolicy, ({ data }) => ({ policy: data }));
    await gateway.owner(GetApprovalPolicy, () => policy);
    const held = await put(policy);
    expect([held.status, held.body]).toEqual([200, policy]);
    expect(held.headers.get("content-type")).toContain("application/json");
    const read = await gateway.call("GET", path, { key });
    expect([read.status, read.body]).toEqual([200, policy]);
  });

  it("answers 202 with the proposal when another principal must approve, and marks a replay", async () => {
    const proposalId = newId("prop");
    await gateway.owner(PutApprovalPolicy, () => ({ proposalId }));
    const proposed = await put(policy);
    expect([proposed.status, proposed.body]).toEqual([202, { proposalId }]);
    expect(proposed.headers.get("idempotent-replayed")).toBeNull();
    await gateway.owner(PutApprovalPolicy, () => ({ replayed: { proposalId } }));
    const again = await put(policy);
    expect([again.status, again.body]).toEqual([202, { proposalId }]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it.each([
    [
      "lacks a member: it replaces in full",
      "missing_field",
      "/dailyLimitCents",
      { dailyLimitCents: undefined },
    ],
    ["has one that no policy has", "unknown_field", "/colour", { colour: "red" }],
    [
      "names a rail that there is not",
      "invalid_field",
      "/dualApprovalRails/0",
      { dualApprovalRails: ["Pigeon"] },
    ],
    [
      "has a threshold below zero",
      "invalid_field",
      "/approvalThresholdCents",
      { approvalThresholdCents: -1 },
    ],
    ["has a limit of nothing", "invalid_field", "/dailyLimitCents", { dailyLimitCents: 0 }],
  ])("is refused when it %s", async (_why, code, pointer, change) => {
    const refused = { code, errors: [{ code, pointer }] };
    expect(await put({ ...policy, ...change })).toMatchObject({ status: 400, body: refused });
  });
});

describe("a proposal", () => {
  it.each([
    ["approve", "Approve"],
    ["deny", "Deny"],
  ])("is decided by its own path: %s", async (action, decision) => {
    const id = newId("prop");
    const proposal = {
      id,
      status: "Approved",
      policy,
      loosens: [],
      proposedBy: "ann",
      proposedAt: "2026-03-04T17:00:00.000Z",
      decidedBy: "ben",
      decidedAt: "2026-03-04T17:00:00.000Z",
    } as const;
    let received: unknown;
    await gateway.owner(DecidePolicyProposal, ({ data }) => {
      received = data;
      return { ...proposal, loosens: [] };
    });
    const answer = await gateway.call("POST", `${path}/proposals/${id}/${action}`, { key });
    expect([answer.status, received]).toEqual([200, { id, decision }]);
    expect(answer.body).toEqual(proposal);
  });
});

describe("the scopes", () => {
  it.each([
    { method: "GET", at: path, scope: "orders:read" },
    { method: "GET", at: `${path}/proposals`, scope: "orders:read" },
    { method: "PUT", at: path, scope: "policy:write" },
    { method: "POST", at: `${path}/proposals/prop_x/approve`, scope: "policy:write" },
    { method: "POST", at: `${path}/proposals/prop_x/deny`, scope: "policy:write" },
  ] as const)("$method $at needs $scope", async ({ method, at, scope }) => {
    const others: Scope[] = ["orders:write", "orders:approve", "keys:write"];
    const { key: weak } = await gateway.issue({
      scopes: [...others, scope === "orders:read" ? "policy:write" : "orders:read"],
    });
    const refused = await gateway.call(method, at, { key: weak });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: "insufficient_scope", requiredScope: scope });
  });
});
