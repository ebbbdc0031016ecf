import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import { type Service, services } from "../../../contracts/message.ts";
import { durableConsumers, streamsOf } from "../../../contracts/streams.ts";
import { topology } from "../../../contracts/topology.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { patienceMs, until } from "../../../test/stack/until.ts";
import { connectNatsWithin, streamsApi } from "./connection.ts";
import { limits } from "./nats-config.ts";
import { permissionsOf } from "./permissions.ts";

// A real server, and every service with its own credentials.
const messaging = await forThisFile(startMessaging());
const connections = new Map<Service, NatsConnection>();
const refused = new Map<Service, string[]>();
for (const service of services) {
  const nats = await messaging.connectAs(service);
  connections.set(service, nats);
  refused.set(service, violationsOf(nats));
  nats.subscribe(`rpc.${service}.>`, { callback: (_error, message) => void message.respond("{}") });
}

/** The subjects that the server refuses on a connection from now on. */
function violationsOf(nats: NatsConnection): string[] {
  const subjects: string[] = [];
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "error") subjects.push((status.error as { subject?: string }).subject ?? "?");
    }
  })();
  return subjects;
}

const connectionOf = (service: Service) => connections.get(service) as NatsConnection;
const everyMessage = [
  ...new Set(services.flatMap((service) => [...topology[service].sends, ...topology[service].consumes])),
];
const everyConsumer = durableConsumers();
const isOwn = (service: Service, subject: string) =>
  permissionsOf(service).publish.includes(subject.replace(/\.p00$/, ".*"));

/** Requests that make, change or delete a stream or a consumer, or read a message past its consumer. */
const forbiddenCalls = [streamsApi, "$JS.API"].flatMap((api) => [
  ...["CMD", "EVT", "NTF", "DLQ", "OTHER"].flatMap((stream) =>
    ["STREAM.CREATE", "STREAM.UPDATE", "STREAM.DELETE", "STREAM.PURGE", "STREAM.MSG.GET", "STREAM.MSG.DELETE"]
      .map((call) => `${api}.${call}.${stream}`)
      .concat(`${api}.DIRECT.GET.${stream}`, `${api}.CONSUMER.LIST.${stream}`),
  ),
  ...everyConsumer.flatMap(({ stream, durable }) => [
    `${api}.CONSUMER.CREATE.${stream}`,
    `${api}.CONSUMER.CREATE.${stream}.${durable}`,
    `${api}.CONSUMER.CREATE.${stream}.${durable}.cmd.ledger.place-hold.v1.p00`,
    `${api}.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
    `${api}.CONSUMER.DELETE.${stream}.${durable}`,
    `${api}.CONSUMER.PAUSE.${stream}.${durable}`,
  ]),
  `${api}.ACCOUNT.PURGE.streams`,
  `${api}.META.LEADER.STEPDOWN`,
]);

describe.each(services)("the server, to %s,", (service) => {
  it("refuses every call that makes, changes or deletes a stream or a consumer", async () => {
    await expectRefused(service, [...new Set(forbiddenCalls)]);
    expect((await messaging.manager.streams.names().next()).sort()).toEqual(["CMD", "DLQ", "EVT", "NTF"]);
  });

  it("refuses other services' messages, requests, dead letters, pulls and acknowledgements", async () => {
    const others = services.flatMap((other) => permissionsOf(other).publish);
    const subjects = [...new Set(others)]
      .map((subject) => subject.replace(/\*$/, "p00").replace(/>$/, "1.1.1.1.1"))
      .filter((subject) => !isOwn(service, subject))
      .filter((subject) => !permissionsOf(service).publish.includes(subject.replace(/1\.1\.1\.1\.1$/, ">")));
    expect(subjects.length).toBeGreaterThan(20);
    await expectRefused(service, subjects);
  });

  it("answers what it needs: its streams, its consumers, and its own messages", async () => {
    const nats = connectionOf(service);
    const questions = [
      ...streamsOf(service).map((stream) => `STREAM.INFO.${stream}`),
      ...durableConsumers(service).map(({ stream, durable }) => `CONSUMER.INFO.${stream}.${durable}`),
    ];
    for (const question of questions) {
      const answer = (await nats.request(`${streamsApi}.${question}`)).json<{ error?: unknown }>();
      expect(answer.error).toBeUndefined();
    }
    for (const subject of permissionsOf(service).publish.filter((pattern) =>
      /^(cmd|evt|ntf|dlq)\./.test(pattern),
    )) {
      const answer = await nats.request(subject.replace("*", "p00"), '{"messages":[]}');
      expect(answer.json()).toMatchObject({ stream: subject.slice(0, 3).toUpperCase() });
    }
    for (const stream of ["CMD", "EVT", "NTF", "DLQ"]) await messaging.manager.streams.purge(stream);
  });

  it("sends no reply to a subject that the service may not publish to", async () => {
    const nats = connectionOf(service);
    const forbidden = everyMessage
      .map((type) => `${type.subject}.p00`)
      .filter((subject) => !isOwn(service, subject));
    const answered = permissionsOf(service)
      .publish.filter((pattern) => !/^(\$JS\.ACK|live)\./.test(pattern))
      .map((pattern) => pattern.replace("*", "p00"));
    const canary = `_INBOX_${service}.canary.`;
    const received = new Set<string>();
    nats.subscribe(`${canary}>`, { callback: (_error, message) => void received.add(message.subject) });
    for (const subject of answered) {
      const body = subject.includes("MSG.NEXT") ? '{"batch":1,"no_wait":true}' : "{}";
      for (const reply of forbidden) nats.publish(subject, body, { reply });
      nats.publish(subject, body, { reply: `${canary}${subject}` });
    }
    // Each subject is answered in order: with its last reply in the inbox, the forged ones are done with.
    await until(() => answered.every((subject) => received.has(`${canary}${subject}`)));
    const stored = await storedSubjects();
    expect(stored.filter((subject) => forbidden.includes(subject))).toEqual([]);
    for (const stream of ["CMD", "EVT", "NTF", "DLQ"]) await messaging.manager.streams.purge(stream);
  });
});

it("a service that opens all the connections that it may takes none from the others", async () => {
  const { NATS_URL = "", NATS_PASSWORD = "" } = messaging.environment("webhooks", "unused");
  const connect = (user: Service, withinMs = patienceMs) =>
    connectNatsWithin(withinMs, { NATS_URL, NATS_USER: user, NATS_PASSWORD }).catch(() => undefined);
  // One more is open since the beginning of the file.
  const allowed = Array.from({ length: limits.connections - 1 }, () => connect("webhooks"));
  const accepted = (await Promise.all(allowed)).filter((nats) => nats !== undefined);
  const beyond = await Promise.all(Array.from({ length: 20 }, () => connect("webhooks", 5_000)));
  const other = await connect("orders");
  for (const nats of [...accepted, ...beyond, other]) await nats?.close();
  expect(accepted).toHaveLength(limits.connections - 1);
  expect(beyond.filter((nats) => nats !== undefined)).toHaveLength(0);
  expect(other).toBeDefined();
});

it("orders still reaches the ledger, and the ledger's consumer gets the command", async () => {
  const command = "cmd.ledger.place-hold.v1.p00";
  await connectionOf("orders").request(command, '{"messages":[]}');
  const pulled: string[] = [];
  const ledger = connectionOf("ledger");
  ledger.subscribe("_INBOX_ledger.pulled", { callback: (_error, { subject }) => void pulled.push(subject) });
  ledger.publish(`${streamsApi}.CONSUMER.MSG.NEXT.CMD.ledger`, '{"batch":1}', {
    reply: "_INBOX_ledger.pulled",
  });
  await until(() => pulled.length > 0);
  expect(pulled).toEqual([command]);
});

async function expectRefused(service: Service, subjects: readonly string[]): Promise<void> {
  const seen = refused.get(service) ?? [];
  seen.length = 0;
  for (const subject of subjects) connectionOf(service).publish(subject, "{}");
  await until(() => seen.length >= subjects.length);
  expect([...seen].sort()).toEqual([...subjects].sort());
}

async function storedSubjects(): Promise<string[]> {
  const infos = await Promise.all(
    ["CMD", "EVT", "NTF", "DLQ"].map((stream) =>
      messaging.manager.streams.info(stream, { subjects_filter: ">" }),
    ),
  );
  return infos.flatMap(({ state }) => Object.keys(state.subjects ?? {}));
}
