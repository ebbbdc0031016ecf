import { describe, expect, it } from "vitest";
import { type Service, services } from "../../../contracts/message.ts";
import { natsConfig, permissionsOf } from "./nats-config.ts";

/** NATS' own matching: `*` is one token, `>` is one or more at the end. */
function matches(pattern: string, subject: string): boolean {
  const source = pattern.split(".").map((token) => {
    if (token === "*") return "[^.]+";
    return token === ">" ? ".+" : token.replaceAll("$", String.raw`\$`);
  });
  return new RegExp(`^${source.join(String.raw`\.`)}$`).test(subject);
}
const mayPublish = (service: Service, subject: string) =>
  permissionsOf(service).publish.some((pattern) => matches(pattern, subject));
const mayHear = (service: Service, subject: string) =>
  permissionsOf(service).subscribe.some((pattern) => matches(pattern, subject));
/** The services with this permission. */
const those = (may: (service: Service, subject: string) => boolean, subject: string) =>
  services.filter((service) => may(service, subject));

describe("permissions to publish", () => {
  it.each<[string, Service[]]>([
    ["cmd.ledger.place-hold.v1.p00", ["orders"]],
    ["cmd.ledger.settle-hold.v1.p07", ["orders"]],
    ["cmd.ledger.unknown-command.v1.p00", []],
    ["cmd.ledger.post-to-suspense.v1.p00", ["orders"]],
    ["cmd.rails.submit-instruction.v1.p00", ["orders"]],
    ["rpc.orders.create-order.v1", ["gateway"]],
    ["rpc.orders.resolve-order.v1", []],
    ["rpc.orders.get-order.v1", ["gateway", "rails"]],
    ["rpc.ledger.resolve-account.v1", ["orders"]],
    ["rpc.webhooks.create-endpoint.v1", ["gateway"]],
    ["evt.ledger.hold-placed.v1.p00", ["ledger"]],
    ["evt.orders.order-status-changed.v1.p00", ["orders"]],
    ["dlq.webhooks.evt", ["webhooks"]],
    ["$JS.API.STREAM.DELETE.EVT", []],
    ["$JS.API.STREAM.CREATE.EVT", []],
    ["$JS.API.CONSUMER.DELETE.EVT.orders", []],
    ["$JS.API.CONSUMER.MSG.NEXT.EVT.orders", ["orders"]],
    ["$JS.API.CONSUMER.DURABLE.CREATE.EVT.orders", ["orders"]],
    ["$JS.ACK.CMD.ledger.1.2.3.4.5", ["ledger"]],
    ["anything.else", []],
  ])("%s: %j", (subject, allowed) => {
    expect(those(mayPublish, subject)).toEqual(allowed);
  });

  it("webhooks may not publish any command", () => {
    expect(permissionsOf("webhooks").publish.filter((pattern) => pattern.startsWith("cmd."))).toEqual([]);
  });
});

describe("permissions to subscribe", () => {
  it.each<[string, Service[]]>([
    ["_INBOX_gateway.1.2", ["gateway"]],
    ["rpc.ledger.resolve-account.v1", ["ledger"]],
    ["evt.gateway.api-key-revoked.v1.p00", ["gateway"]],
    ["evt.orders.order-status-changed.v1.p00", []],
    ["cmd.ledger.place-hold.v1.p00", []],
    [">", []],
  ])("%s: %j", (subject, allowed) => {
    expect(those(mayHear, subject)).toEqual(allowed);
  });
});

describe("the server's configuration", () => {
  const passwords = { gateway: "g", orders: "o", ledger: "l", rails: "r", webhooks: 'w"\\', operator: "op" };

  it("syncs before it acknowledges", () => {
    expect(natsConfig(passwords)).toContain("jetstream { sync_interval: always");
  });

  it("has a user per service, with any characters in its password quoted", () => {
    const config = natsConfig(passwords);
    for (const service of services) expect(config).toContain(`{ user: ${service}, password: `);
    expect(config).toContain(String.raw`password: "w\"\\"`);
  });

  it("limits every user but the operator", () => {
    const users = natsConfig(passwords)
      .split("\n")
      .filter((line) => line.includes("{ user: "));
    expect(users.filter((line) => !line.includes("permissions: {"))).toEqual([
      '    { user: operator, password: "op" }',
    ]);
  });
});
