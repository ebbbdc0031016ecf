import { type Service, services } from "../../../contracts/message.ts";
import { streams } from "../../../contracts/streams.ts";
import { type Account, permissionsOf, serviceExports, streamExports, streamsAccount } from "./permissions.ts";

/**
 * Of one service, and of each of its connections: an instance has one connection and less than a hundred subscriptions.
 * Without limits, a service that was broken into could open so many that the server takes no other.
 */
export const limits = { connections: 100, subscriptions: 1_000 } as const;

/**
 * The nats-server configuration: an account and a user per service with its permissions, an account with the streams
 * for the operator, and JetStream that fsyncs before it acknowledges (docs/adr/0026-an-account-per-service.md).
 * Address, port and store directory come from the command line.
 */
export function natsConfig(passwords: Readonly<Record<Service | "operator", string>>): string {
  return [
    "max_payload: 1MB",
    `jetstream { sync_interval: always, max_file_store: ${String(
      Object.values(streams).reduce((sum, stream) => sum + stream.maxBytes, 0) * 2,
    )} }`,
    "accounts {",
    ...account(streamsAccount, [
      "    jetstream: enabled",
      `    users: [ { user: operator, password: ${quote(passwords.operator)} } ]`,
    ]),
    ...services.flatMap((service) =>
      account(service, [limitsOfService, userOf(service, passwords[service])]),
    ),
    "}",
    "",
  ].join("\n");
}

const limitsOfService = `    limits { max_connections: ${String(limits.connections)}, max_subscriptions: ${String(
  limits.subscriptions,
)} }`;

const quote = (text: string) => JSON.stringify(text);
const list = (texts: readonly string[]) => `[${texts.map(quote).join(", ")}]`;

function userOf(service: Service, password: string): string {
  const { publish, subscribe } = permissionsOf(service);
  const permissions = `publish: ${list(publish)}, subscribe: ${list(subscribe)}, allow_responses: true`;
  return `    users: [ { user: ${service}, password: ${quote(password)}, permissions: { ${permissions} } } ]`;
}

function account(name: Account, lines: readonly string[]): string[] {
  return [
    `  ${name} {`,
    ...lines,
    "    exports: [",
    ...exportsOf(name).map((line) => `      { ${line} }`),
    "    ]",
    "    imports: [",
    ...importsOf(name).map((line) => `      { ${line} }`),
    "    ]",
    "  }",
  ];
}

function exportsOf(name: Account): string[] {
  const served = Map.groupBy(
    serviceExports().filter(({ owner }) => owner === name),
    ({ subject, responses }) => `service: ${quote(subject)}, response_type: ${responses}`,
  );
  const events = streamExports().filter(({ owner }) => owner === name);
  return [
    ...[...served].map(([what, same]) => `${what}, accounts: ${list(same.map(({ to }) => to))}`),
    ...events.map(({ subject, to }) => `stream: ${quote(subject)}, accounts: ${list([to])}`),
  ];
}

function importsOf(name: Account): string[] {
  const from = (owner: Account, subject: string) => `{ account: ${owner}, subject: ${quote(subject)} }`;
  return [
    ...serviceExports()
      .filter(({ to }) => to === name)
      .map(({ owner, subject, importedAs }) => `service: ${from(owner, subject)}, to: ${quote(importedAs)}`),
    ...streamExports()
      .filter(({ to }) => to === name)
      .map(({ owner, subject }) => `stream: ${from(owner, subject)}`),
  ];
}
