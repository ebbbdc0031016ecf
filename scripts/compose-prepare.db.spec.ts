import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { services } from "../contracts/message.ts";
import { forThisFile } from "../test/stack/for-this-file.ts";
import { connectTo, createDatabase, type TestDatabase } from "../test/stack/servers/database.ts";
import { createTestBench } from "../test/stack/servers/local-servers.ts";
import { startMessaging } from "../test/stack/servers/messaging.ts";

const { rolePassword } = inject("servers");
// `prepare` changes roles, which belong to the server: on one of its own, this disturbs no other test.
const bench = await forThisFile(createTestBench());
const { adminUrl: postgresAdminUrl } = await bench.startPostgres();
const messaging = await forThisFile(startMessaging());

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase(services, { postgresAdminUrl, rolePassword });
});

async function query(statement: string): Promise<object[]> {
  const admin = await connectTo(database.adminUrl);
  try {
    return (await admin.query<object>(statement)).rows;
  } finally {
    await admin.end();
  }
}

const migrateAsNewerVersion = () =>
  query("insert into ledger.migration (name) values ('9001-of-tomorrow'), ('9002-of-tomorrow')");

async function prepare(): Promise<{ code: number; stderr: string }> {
  const { NATS_URL, NATS_PASSWORD } = messaging.environment("rails", database.adminUrl);
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: database.adminUrl,
    NATS_URL,
    NATS_PASSWORD,
    ...Object.fromEntries(services.map((name) => [`${name.toUpperCase()}_ROLE_PASSWORD`, rolePassword])),
  };
  const script = join(import.meta.dirname, "compose.ts");
  return promisify(execFile)(process.execPath, [script, "prepare"], { env }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: Error & { code: number; stderr: string }) => error,
  );
}

describe("prepare", () => {
  it("warns of nothing in a database of its own version", async () => {
    expect(await prepare()).toEqual({ code: 0, stderr: "" });
  });

  it("goes on in a database of a newer version, so that the release before it can start again", async () => {
    await migrateAsNewerVersion();
    const before = await query("select * from ledger.migration order by id");
    await messaging.manager.streams.delete("NTF");
    const { code, stderr } = await prepare();
    expect(stderr).toContain(
      "A newer version has migrated the database: it has ledger 9001-of-tomorrow and 1 more, which this version lacks.",
    );
    expect(stderr).toContain("Nothing here tells how many releases lie between");
    expect(code).toBe(0);
    expect(await query("select * from ledger.migration order by id")).toEqual(before);
    expect((await messaging.manager.streams.info("NTF")).config.name).toBe("NTF");
  });

  it("refuses a database that also lacks migrations of this version, and advises to remove nothing", async () => {
    await migrateAsNewerVersion();
    await query("delete from orders.migration where name = '0023-order-rechecks'");
    const { code, stderr } = await prepare();
    expect(code).toBe(1);
    expect(stderr).toContain(
      "it has ledger 9001-of-tomorrow and 1 more, which this version lacks,\nand lacks orders 0023-order-rechecks",
    );
    expect(stderr).not.toMatch(/--volumes|rm -rf|begin anew/);
    expect(await query("select 1 from orders.migration where name = '0023-order-rechecks'")).toEqual([]);
  });
});
