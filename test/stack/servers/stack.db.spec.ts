import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { postgresCommand } from "./container-servers.ts";
import { createDatabase, type TestDatabase } from "./database.ts";
import { startServers } from "./global-setup.ts";
import { createTestBench } from "./local-servers.ts";

describe("a test's own database", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase("webhooks");
  });
  afterAll(() => database.drop());

  it("has the schema of its service, with the rights of its role", async () => {
    const rows = await query(
      database.urlOf("webhooks"),
      "select current_user as who, current_schema() as schema",
    );
    expect(rows).toEqual([{ who: "webhooks", schema: "webhooks" }]);
  });

  it("shares nothing with a second database of the same service", async () => {
    const twin = await createDatabase("webhooks");
    await query(twin.adminUrl, "create table webhooks.only_here ()");
    const rows = await query(database.adminUrl, "select to_regclass('webhooks.only_here') as found");
    expect(rows).toEqual([{ found: null }]);
    await twin.drop();
  });

  it("refuses a service that it was not created for", () => {
    expect(() => database.urlOf("orders")).toThrow("has no schema of orders");
  });
});

describe("the run's nats-server", () => {
  it("accepts the operator and has JetStream", async () => {
    const { natsUrl, natsPasswords } = inject("servers");
    const connection = await connect({ servers: natsUrl, user: "operator", pass: natsPasswords.operator });
    expect(connection.info?.jetstream).toBe(true);
    await connection.close();
  });

  it("refuses strangers", async () => {
    const { natsUrl } = inject("servers");
    const stranger = connect({ servers: natsUrl, user: "operator", pass: "guess", reconnect: false });
    await expect(stranger).rejects.toThrow(/authorization/i);
  });
});

describe("the run's servers where Docker answers", () => {
  it("are this machine's programs if Docker can't start them", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const noImage = () => Promise.reject(new Error("no way to the registry"));
    const { servers, close } = await startServers({ answers: () => Promise.resolve(true), start: noImage });
    expect(said.mock.calls.map(([text]) => text)).toContain(
      "Docker starts no servers, so this machine's programs do: Error: no way to the registry\n",
    );
    said.mockRestore();
    expect(await query(servers.postgresAdminUrl, "select 7 as number")).toEqual([{ number: 7 }]);
    await close();
  });

  it("have the settings of the other ones", () => {
    const settings = postgresCommand.filter((text) => text !== "-c");
    expect(settings).toEqual(
      expect.arrayContaining(["max_connections=700", "wal_compression=off", "autovacuum_naptime=1min"]),
    );
    expect(settings).toEqual(expect.arrayContaining(["max_wal_size=512MB", "timezone=UTC", "fsync=on"]));
  });
});

describe("a test's own servers", () => {
  it("keep their data when they are killed and started again", async () => {
    const bench = await createTestBench();
    try {
      const first = await bench.startPostgres();
      await query(first.adminUrl, "create table kept as select 7 as number");
      process.kill(first.pid, "SIGKILL");
      const second = await bench.startPostgres(first.port);
      expect(await query(second.adminUrl, "select number from kept")).toEqual([{ number: 7 }]);
    } finally {
      await bench.close();
    }
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}
