/** What the audit log says of decisions, and of secrets that were replaced. */
import { describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { ledgerTransactionExamples } from "../../../contracts/http/examples/ledger-transactions.ts";
import {
  PostLedgerTransaction,
  ReverseLedgerTransaction,
  VoidLedgerTransaction,
} from "../../../contracts/messages/ledger-transactions.ts";
import { ApproveOrder, DenyOrder } from "../../../contracts/messages/orders.ts";
import { RotateWebhookSecret } from "../../../contracts/messages/webhooks.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
const invite = inviteTo(gateway);
const seat = await sitDown(gateway, await invite({ roles: { Test: ["Approver", "Admin"], Live: [] } }));
const hash = "ab".repeat(32);

async function entriesAbout(objectId: string): Promise<Record<string, unknown>[]> {
  const path = `/v1/audit-log?objectId=${objectId}`;
  const { body } = await gateway.call("GET", path, { headers: seat.headers });
  return body.data as Record<string, unknown>[];
}

const actionsAbout = async (objectId: string) =>
  (await entriesAbout(objectId)).map(({ action }) => action).toReversed();

describe("the audit log", () => {
  it("has a person's decision after its confirmation, and once if they repeat the request", async () => {
    const id = newId("po");
    let replays = false;
    await gateway.owner(ApproveOrder, () => (replays ? { replayed: anOrder({ id }) } : anOrder({ id })));
    const passkey = await addPasskey(gateway, seat);
    const what = { operation: "approvePaymentOrder", ids: [id], orderHashes: [hash] };
    const headers = { ...(await confirm(gateway, seat, passkey, what)), "idempotency-key": "once" };
    const path = `/v1/payment-orders/${id}/approve`;
    expect((await send(gateway, seat, path, { orderHash: hash }, headers)).status).toBe(200);
    expect(await actionsAbout(id)).toEqual(["StepUpUsed", "PaymentOrderApproved"]);
    replays = true;
    expect((await send(gateway, seat, path, { orderHash: hash }, headers)).status).toBe(200);
    expect((await actionsAbout(id)).filter((action) => action === "PaymentOrderApproved")).toHaveLength(1);
  });

  it("says what an API key decided, and nothing of what was refused", async () => {
    const { key } = await gateway.issue({ scopes: ["orders:approve"], principal: "noor" });
    const id = newId("po");
    await gateway.owner(DenyOrder, () => {
      throw new Refusal("invalid_state_transition", "The order has ended.");
    });
    const deny = async () =>
      (await gateway.call("POST", `/v1/payment-orders/${id}/deny`, { key, body: { reason: "Not ours" } }))
        .status;
    expect(await deny()).toBe(409);
    expect(await entriesAbout(id)).toEqual([]);
    await gateway.owner(DenyOrder, () => anOrder({ id }));
    expect(await deny()).toBe(200);
    const [entry] = await entriesAbout(id);
    expect(entry).toMatchObject({ action: "PaymentOrderDenied", actor: "noor", objectId: id });
  });

  it("has what an API key did where a person would need a passkey, such as posting and reversing", async () => {
    const { key } = await gateway.issue({ scopes: ["ledger:write"], principal: "bookkeeper" });
    const id = newId("lt");
    for (const type of [PostLedgerTransaction, ReverseLedgerTransaction, VoidLedgerTransaction]) {
      await gateway.owner(type, () => ({ ...ledgerTransactionExamples.LedgerTransaction, id }));
    }
    for (const step of ["post", "reverse", "void"]) {
      const path = `/v1/ledger-transactions/${id}/${step}`;
      expect((await gateway.call("POST", path, { key, body: {} })).status).toBe(200);
    }
    expect(await actionsAbout(id)).toEqual([
      "LedgerTransactionPosted",
      "LedgerTransactionReversed",
      "LedgerTransactionVoided",
    ]);
  });

  it("tells an API key that was proposed from one that was created", async () => {
    const { key } = await gateway.issue({
      scopes: ["keys:write", "orders:read", "orders:write"],
      principal: "keeper",
    });
    const created = (scopes: string[]) =>
      gateway.call("POST", "/v1/api-keys", { key, body: { name: "A key", principal: "a-machine", scopes } });
    expect((await created(["orders:read"])).status).toBe(201);
    expect((await created(["orders:write"])).status).toBe(202);
    const { body } = await gateway.call("GET", "/v1/audit-log?actor=keeper", { headers: seat.headers });
    expect((body.data as { action: string }[]).map(({ action }) => action)).toEqual([
      "ApiKeyProposed",
      "ApiKeyCreated",
    ]);
  });

  it("records an unknown outcome after 503, and the outcome once when a repetition finds it, whoever sends that", async () => {
    const maker = await gateway.issue({ scopes: ["webhooks:write"], principal: "first" });
    const other = await gateway.issue({ scopes: ["webhooks:write"], principal: "second" });
    const id = newId("we");
    const rotated = { endpointId: id, signingSecret: `whsec_${"B".repeat(43)}=`, activeSecrets: [] };
    let answer: () => typeof rotated | { replayed: typeof rotated } = () => {
      throw new Refusal("service_unavailable", "Try again.");
    };
    await gateway.owner(RotateWebhookSecret, () => answer());
    const headers = { "idempotency-key": "rotate-once" };
    const rotate = async ({ key }: { key: string }) =>
      (
        await gateway.call("POST", `/v1/webhook-endpoints/${id}/rotate-secret`, {
          key,
          headers,
          body: { overlapHours: 1 },
        })
      ).status;
    expect(await rotate(maker)).toBe(503);
    answer = () => ({ replayed: rotated });
    expect(await rotate(maker)).toBe(200);
    expect(await rotate(other)).toBe(200);
    const entries = (await entriesAbout(id)).map(({ actor, details }) => [
      actor,
      (details as { outcome?: string }).outcome,
    ]);
    expect(entries).toEqual([
      ["first", undefined],
      ["first", "Unknown"],
    ]);
  });

  it("has each rotation of a webhook's secret, without the secret", async () => {
    const { key } = await gateway.issue({ scopes: ["webhooks:write"], principal: "dev" });
    const id = newId("we");
    const signingSecret = `whsec_${"A".repeat(43)}=`;
    await gateway.owner(RotateWebhookSecret, () => ({ endpointId: id, signingSecret, activeSecrets: [] }));
    const path = `/v1/webhook-endpoints/${id}/rotate-secret`;
    await gateway.call("POST", path, { key, body: { overlapHours: 1 } });
    await gateway.call("POST", path, { key, body: { overlapHours: 1 } });
    const entries = await entriesAbout(id);
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ["WebhookSecretRotated", "dev"],
      ["WebhookSecretRotated", "dev"],
    ]);
    expect(JSON.stringify(entries)).not.toContain(signingSecret);
  });
});
