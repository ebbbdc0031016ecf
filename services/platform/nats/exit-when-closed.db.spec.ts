import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { type Service, services } from "../../../contracts/message.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { createTestBench } from "../../../test/stack/servers/local-servers.ts";
import { until } from "../../../test/stack/until.ts";
import { connectNats } from "./connection.ts";
import { exitWhenClosed } from "./exit-when-closed.ts";
import { natsConfig } from "./nats-config.ts";

const bench = await forThisFile(createTestBench());

/** A configuration with a new password, which all users have. */
function withNewPassword() {
  const password = randomBytes(12).toString("hex");
  const passwords = Object.fromEntries([...services, "operator"].map((user) => [user, password]));
  return { password, config: natsConfig(passwords as Record<Service | "operator", string>) };
}

/** A server of its own, and a service's connection to it. */
async function connected() {
  const { password, config } = withNewPassword();
  const server = await bench.startNats(config);
  const nats = await connectNats({ NATS_URL: server.url, NATS_USER: "orders", NATS_PASSWORD: password });
  return { nats, server };
}

it("a service whose log-in NATS has refused twice ends", async () => {
  const { nats, server } = await connected();
  const exits: number[] = [];
  const lines: unknown[] = [];
  const log = { fatal: (line: unknown) => lines.push(line) } as never;
  void exitWhenClosed(
    nats,
    log,
    () => false,
    (code) => exits.push(code),
  );
  await server.stop();
  await bench.startNats(withNewPassword().config, server.port);
  await until("the end of the service", () => exits.length > 0);
  expect([exits, lines]).toEqual([[1], [{ err: expect.any(Error) as unknown }]]);
});

it("a service that closes its connection as it stops is not ended", async () => {
  const { nats } = await connected();
  const exits: number[] = [];
  const watched = exitWhenClosed(
    nats,
    { fatal: () => undefined } as never,
    () => true,
    (code) => exits.push(code),
  );
  await nats.close();
  await watched;
  expect(exits).toEqual([]);
});
