import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { ResolveLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { RpcClient } from "./client.ts";

const messaging = await forThisFile(startMessaging());
const tenant = newId("ten");
const caller: Caller = {
  book: bookIdOf(tenant, "Test"),
  tenant,
  mode: "Test",
  principal: "tester",
  requestId: newId("req"),
};

describe("the NATS server", () => {
  it("does not let webhooks publish a command to the ledger", async () => {
    const webhooks = await messaging.connectAs("webhooks");
    const refused = violationsOf(webhooks);
    webhooks.publish("cmd.ledger.place-hold.v1.p00", "{}");
    await until(() => refused.length > 0);
    expect(refused).toEqual(["publish cmd.ledger.place-hold.v1.p00"]);
    expect((await messaging.manager.streams.info("CMD")).state.messages).toBe(0);
  });

  it("does not let a service publish another service's events", async () => {
    const webhooks = await messaging.connectAs("webhooks");
    const refused = violationsOf(webhooks);
    webhooks.publish("evt.webhooks.forged.v1.p00", "{}");
    webhooks.publish("ntf.orders.order-status-changed.v1.p00", "{}");
    await until(() => refused.length === 2);
    expect(refused).toEqual([
      "publish evt.webhooks.forged.v1.p00",
      "publish ntf.orders.order-status-changed.v1.p00",
    ]);
  });

  it("does not let the gateway send requests or subscribe beyond its permissions", async () => {
    const gateway = await messaging.connectAs("gateway");
    const refused = violationsOf(gateway);
    gateway.publish("rpc.ledger.resolve-account.v1", "{}");
    gateway.subscribe("_INBOX_orders.>", { callback: () => undefined });
    await until(() => refused.length === 2);
    expect(refused).toEqual(["publish rpc.ledger.resolve-account.v1", "subscription _INBOX_orders.>"]);
    const request = new RpcClient(gateway).request(
      ResolveLedgerAccount,
      { caller },
      { nameOrId: "Operating", as: "Name" },
      { deadlineMs: 300 },
    );
    await expect(request).rejects.toThrow();
  });
});

/** The permission errors that the server reports on a connection from now on. */
function violationsOf(nats: NatsConnection): string[] {
  const refused: string[] = [];
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type !== "error") continue;
      const { operation, subject } = status.error as { operation?: string; subject?: string };
      refused.push(`${operation ?? "?"} ${subject ?? "?"}`);
    }
  })();
  return refused;
}
