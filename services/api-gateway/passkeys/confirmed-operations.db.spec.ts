import { describe, expect, it } from "vitest";
import type { Scope } from "../../../contracts/http/scopes.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";

// No owner answers: whatever is not refused before it is forwarded is `service_unavailable`.
const gateway = await forThisFile(startGateway());
const roles = { Test: ["Maker", "Developer"], Live: [] } as const;
const seat = await sitDown(gateway, await inviteTo(gateway)({ roles }));
const passkey = await addPasskey(gateway, seat);

const [cp, change] = [newId("cp"), newId("chg")];
const endpoint = `/v1/webhook-endpoints/${newId("we")}`;
const idIn = (path: string) => path.split("/")[3] ?? "";
const transaction = `/v1/ledger-transactions/${newId("lt")}`;

type Call = readonly [method: string, path: string, body?: object];
const codeOf = async ([method, path, body = {}]: Call, headers: Record<string, string>, key?: string) =>
  (await gateway.call(method, path, { body, headers, ...(key === undefined ? {} : { key }) })).body.code;

describe("what moves money or opens a way to it needs a passkey in a session, and none with an API key", () => {
  const assign = `/v1/inbound-payments/${newId("ip")}/assign`;
  const accept = `/v1/counterparties/${cp}/proposed-changes/${change}/accept`;
  const endpoints = "/v1/webhook-endpoints";
  const hook = { url: "https://hooks.example/here" };
  it.each<[operation: string, scope: Scope, id: string | null, call: Call]>([
    ["reverseLedgerTransaction", "ledger:write", idIn(transaction), ["POST", `${transaction}/reverse`]],
    [
      "assignInboundPayment",
      "ledger:write",
      idIn(assign),
      ["POST", assign, { ledgerAccountName: "Operating" }],
    ],
    ["acceptProposedChange", "counterparties:write", change, ["POST", accept]],
    ["createWebhookEndpoint", "webhooks:write", null, ["POST", endpoints, hook]],
    ["updateWebhookEndpoint", "webhooks:write", idIn(endpoint), ["PATCH", endpoint, hook]],
    ["updateWebhookEndpoint", "webhooks:write", idIn(endpoint), ["PATCH", endpoint, { status: "Enabled" }]],
    ["rotateWebhookSecret", "webhooks:write", idIn(endpoint), ["POST", `${endpoint}/rotate-secret`]],
  ])("%s", async (operation, scope, id, call) => {
    expect(await codeOf(call, seat.headers)).toBe("step_up_required");
    const what = { operation, ids: id === null ? [] : [id], body: call[2] ?? {} };
    const stepUp = await confirm(gateway, seat, passkey, what);
    expect(await codeOf(call, { ...seat.headers, ...stepUp })).toBe("service_unavailable");
    const { key } = await gateway.issue({ scopes: [scope] });
    expect(await codeOf(call, {}, key)).toBe("service_unavailable");
  });

  it("a confirmation for one proposed change is worth nothing for another of the counterparty", async () => {
    const what = { operation: "acceptProposedChange", ids: [newId("chg")], body: {} };
    const headers = { ...seat.headers, ...(await confirm(gateway, seat, passkey, what)) };
    expect(await codeOf(["POST", accept], headers)).toBe("step_up_required");
  });
});

describe("what only stops something needs no passkey", () => {
  it.each<[what: string, call: Call]>([
    ["voiding a transaction", ["POST", `${transaction}/void`]],
    ["cancelling an order", ["POST", `/v1/payment-orders/${newId("po")}/cancel`]],
    ["dismissing a change", ["POST", `/v1/counterparties/${cp}/proposed-changes/${change}/dismiss`]],
    ["pausing an endpoint", ["PATCH", endpoint, { status: "Disabled" }]],
    ["retiring a secret", ["POST", `${endpoint}/retire-previous-secret`]],
    ["deleting an endpoint", ["DELETE", endpoint]],
  ])("%s", async (_what, call) => {
    expect(await codeOf(call, seat.headers)).toBe("service_unavailable");
  });

  it("needs one where a request pauses an endpoint and also changes its URL", async () => {
    const body = { status: "Disabled", url: "https://hooks.example/there" };
    expect(await codeOf(["PATCH", endpoint, body], seat.headers)).toBe("step_up_required");
  });
});

describe("whoever may only approve confirms what they decide of the ledger", () => {
  const body = { ledgerAccountName: "Operating" };
  const payment = `/v1/inbound-payments/${newId("ip")}`;
  const decisions: [operation: string, call: Call][] = [
    ["postLedgerTransaction", ["POST", `${transaction}/post`]],
    ["voidLedgerTransaction", ["POST", `${transaction}/void`]],
    ["assignInboundPayment", ["POST", `${payment}/assign`, body]],
  ];
  it.each(decisions)("%s", async (operation, call) => {
    const noor = await sitDown(gateway, await inviteTo(gateway)({ roles: { Test: ["Approver"], Live: [] } }));
    const own = await addPasskey(gateway, noor);
    expect(await codeOf(call, noor.headers)).toBe("step_up_required");
    const what = { operation, ids: [idIn(call[1])], body: call[2] ?? {} };
    const stepUp = await confirm(gateway, noor, own, what);
    expect(await codeOf(call, { ...noor.headers, ...stepUp })).toBe("service_unavailable");
    const { key } = await gateway.issue({ scopes: ["orders:approve"] });
    expect(await codeOf(call, {}, key)).toBe("service_unavailable");
    const reader = await gateway.issue({ scopes: ["ledger:read", "orders:write"] });
    expect(await codeOf(call, {}, reader.key)).toBe("insufficient_scope");
  });

  it("and reverses nothing", async () => {
    const { key } = await gateway.issue({ scopes: ["orders:approve"] });
    expect(await codeOf(["POST", `${transaction}/reverse`], {}, key)).toBe("insufficient_scope");
  });
});
