import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { scopes } from "../../../contracts/http/scopes.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { ReadLedgerInbox } from "../../../contracts/messages/ledger-transactions.ts";
import { ApplyApprovalRights, ReadInbox } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway({ API_VERSIONS: "v1,v2" }));
const invite = inviteTo(gateway);
const proposal = {
  kind: "LedgerTransaction" as const,
  id: newId("lt"),
  amountCents: 120_000,
  currency: "USD" as const,
  description: "Payroll",
  ledgerAccountId: null,
  href: "/v1/ledger-transactions/lt_1",
  proposedBy: "maya",
  proposedAt: "2026-03-02T12:00:00.000Z",
  mine: { allowed: true, code: null },
};
const empty = { data: [], count: 0, hasMore: false };
const asked: unknown[] = [];
const askedOfLedger: unknown[] = [];
beforeEach(async () => {
  asked.length = 0;
  askedOfLedger.length = 0;
  await gateway.owner(ApplyApprovalRights, ({ data: { rights } }) => ({ recorded: rights.length }));
  await gateway.owner(ReadInbox, ({ data }) => {
    asked.push(data);
    return { paymentOrders: empty, policyProposals: empty };
  });
  await gateway.owner(ReadLedgerInbox, ({ data }) => {
    askedOfLedger.push(data);
    return { data: [proposal], count: 1, hasMore: false };
  });
});
const ana = await gateway.issue({ principal: "ana", scopes });
const ben = await gateway.issue({ principal: "ben", scopes });
const inboxOf = async (key: string) => (await gateway.call("GET", "/v1/inbox", { key })).body;

describe("the inbox", () => {
  it("asks orders for what the scopes of the caller let it decide", async () => {
    const viewer = await gateway.issue({ principal: "vera", scopes: ["orders:read"] });
    expect(await inboxOf(viewer.key)).toEqual({
      paymentOrders: empty,
      ledgerProposals: null,
      policyProposals: empty,
      apiKeyProposals: null,
      roleProposals: null,
    });
    await inboxOf(ana.key);
    expect(asked).toEqual([
      { mayApprove: false, mayDecidePolicies: false },
      { mayApprove: true, mayDecidePolicies: true },
    ]);
  });

  it("has what is proposed in the ledger, for whoever may read it", async () => {
    const approver = await gateway.issue({
      principal: "noor",
      scopes: ["orders:read", "ledger:read", "orders:approve"],
    });
    const ledgerProposals = { data: [proposal], count: 1, hasMore: false };
    expect(await inboxOf(approver.key)).toMatchObject({ ledgerProposals });
    expect(await inboxOf(ana.key)).toMatchObject({ ledgerProposals });
    expect(askedOfLedger).toEqual([
      { mayApprove: true, mayWrite: false },
      { mayApprove: true, mayWrite: true },
    ]);
    const { body } = await gateway.call("GET", "/v2/inbox", { key: approver.key });
    const { amountCents: cents, currency, ...rest } = proposal;
    expect(body.ledgerProposals).toEqual({
      ...ledgerProposals,
      data: [{ ...rest, amount: { cents, currency } }],
    });
  });

  it("has everything else while the ledger does not answer", async () => {
    await gateway.owner(ReadLedgerInbox, () => {
      throw new Refusal("service_unavailable", "Try again.");
    });
    expect(await inboxOf(ana.key)).toMatchObject({ ledgerProposals: null, paymentOrders: empty });
  });

  it("has the proposed API keys, and says who can't approve them", async () => {
    const body = { name: "Approvals", principal: "ben", scopes: ["orders:approve"] };
    const { status } = await gateway.call("POST", "/v1/api-keys", { key: ana.key, body });
    expect(status).toBe(202);
    const mine = async (key: string) =>
      ((await inboxOf(key)).apiKeyProposals as { data: { mine: unknown }[] }).data.map((each) => each.mine);
    expect(await inboxOf(ana.key)).toMatchObject({
      apiKeyProposals: {
        data: [{ status: "Open", apiKey: { name: "Approvals" } }],
        count: 1,
        hasMore: false,
      },
    });
    expect(await mine(ana.key)).toEqual([{ allowed: false, code: "self_approval_not_allowed" }]);
    expect(await mine(ben.key)).toEqual([{ allowed: false, code: "self_approval_not_allowed" }]);
    const narrow = await gateway.issue({ principal: "cleo", scopes: ["orders:read", "keys:write"] });
    expect(await mine(narrow.key)).toEqual([{ allowed: false, code: "insufficient_scope" }]);
    const wide = await gateway.issue({ principal: "dora", scopes });
    expect(await mine(wide.key)).toEqual([{ allowed: true, code: null }]);
  });

  it("has the proposed roles of the mode, and says who can't approve them", async () => {
    const rosa = await invite();
    const live = await gateway.issue({ principal: "eve", mode: "Live", scopes });
    const body = { roles: ["Approver"] };
    await gateway.call("PATCH", `/v1/people/${rosa.id}`, { key: ana.key, body });
    // Whoever approves vouches for the person, so they see who it is.
    const person = { personEmail: rosa.email, personRoles: [], personCreatedBy: "operator" };
    const roles = { roles: ["Approver"], hasApiKeys: false };
    const proposal = { status: "Open", personId: rosa.id, ...person, ...roles };
    expect((await inboxOf(ben.key)).roleProposals).toMatchObject({
      data: [{ ...proposal, mine: { allowed: true, code: null } }],
      count: 1,
      hasMore: false,
    });
    expect((await inboxOf(ana.key)).roleProposals).toMatchObject({
      data: [{ ...proposal, mine: { allowed: false, code: "self_approval_not_allowed" } }],
    });
    expect((await inboxOf(live.key)).roleProposals).toEqual(empty);
  });

  it("is not shown in part while orders is away", async () => {
    await gateway.owner(ReadInbox, () => {
      throw new Refusal("service_unavailable", "Send it again.");
    });
    expect((await gateway.call("GET", "/v1/inbox", { key: ana.key })).body).toMatchObject({
      status: 503,
      code: "service_unavailable",
    });
  });
});
