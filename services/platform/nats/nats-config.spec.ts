import { describe, expect, it } from "vitest";
import { type Service, services } from "../../../contracts/message.ts";
import { natsConfig } from "./nats-config.ts";
import { permissionsOf, serviceExports } from "./permissions.ts";

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
    ["rpc.orders.set-completion-delay.v1", []],
    ["rpc.orders.get-order.v1", ["gateway", "rails"]],
    ["rpc.ledger.resolve-account.v1", ["orders"]],
    ["rpc.webhooks.create-endpoint.v1", ["gateway"]],
    ["evt.ledger.hold-placed.v1.p00", ["ledger"]],
    ["ntf.orders.order-status-changed.v1.p00", ["orders"]],
    ["live.webhooks.deliveries-changed.v1", ["webhooks"]],
    ["dlq.webhooks.ntf", ["webhooks"]],
    ["dlq.ledger.cmd", ["ledger"]],
    ["streams.api.STREAM.DELETE.EVT", []],
    ["streams.api.STREAM.CREATE.EVT", []],
    ["streams.api.STREAM.INFO.CMD", ["orders", "ledger", "rails"]],
    ["streams.api.CONSUMER.DELETE.EVT.orders", []],
    ["streams.api.CONSUMER.CREATE.EVT.orders", []],
    ["streams.api.CONSUMER.DURABLE.CREATE.EVT.orders", []],
    ["streams.api.CONSUMER.MSG.NEXT.EVT.orders", ["orders"]],
    ["$JS.API.CONSUMER.MSG.NEXT.EVT.orders", []],
    ["$JS.API.INFO", []],
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
    ["ntf.orders.order-status-changed.v1.p00", ["gateway"]],
    ["ntf.orders.counterparty-change-proposed.v1.p00", []],
    ["live.webhooks.deliveries-changed.v1", ["gateway"]],
    ["cmd.ledger.place-hold.v1.p00", []],
    [">", []],
  ])("%s: %j", (subject, allowed) => {
    expect(those(mayHear, subject)).toEqual(allowed);
  });
});

describe("the ways into another account", () => {
  it("exist for every subject that a service may publish, except its own announcements", () => {
    for (const service of services) {
      const imported = serviceExports().flatMap(({ to, importedAs }) => (to === service ? [importedAs] : []));
      const leaving = permissionsOf(service).publish.filter((subject) => !subject.startsWith("live."));
      expect(imported.sort()).toEqual(leaving.sort());
    }
  });

  it("lead to the ledger's commands from orders only", () => {
    const commands = serviceExports().filter(({ subject }) => subject.startsWith("cmd.ledger."));
    expect(new Set(commands.map(({ owner, to }) => `${to} > ${owner}`))).toEqual(
      new Set(["orders > streams"]),
    );
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

  it("gives each service an account of its own, without streams", () => {
    const accounts = natsConfig(passwords)
      .split(/^ {2}(?=\w+ \{$)/m)
      .slice(1);
    expect(accounts.map((text) => text.split(" ", 1)[0])).toEqual(["streams", ...services]);
    expect(accounts.filter((text) => text.includes("jetstream: enabled"))).toHaveLength(1);
    expect(accounts[0]).toContain("jetstream: enabled");
  });

  it("limits the connections of every service, and not the operator's", () => {
    const accounts = natsConfig(passwords).split(/^ {2}(?=\w+ \{$)/m);
    const limited = accounts.filter((text) => text.includes("limits { max_connections: 100, "));
    expect(limited.map((text) => text.split(" ", 1)[0])).toEqual(services);
  });

  it("limits every user but the operator", () => {
    const users = natsConfig(passwords)
      .split("\n")
      .filter((line) => line.includes("{ user: "));
    expect(users.filter((line) => !line.includes("permissions: {"))).toEqual([
      '    users: [ { user: operator, password: "op" } ]',
    ]);
  });
});
