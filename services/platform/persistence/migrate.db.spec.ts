import pg from "pg";
import { expect, inject, it } from "vitest";
import { services } from "../../../contracts/message.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { connectTo, createDatabase } from "../../../test/stack/servers/database.ts";
import { createTestBench } from "../../../test/stack/servers/local-servers.ts";
import { migrate } from "./migrate.ts";

const { rolePassword } = inject("servers");
const database = await forThisFile(createDatabase("rails"));
const other = await forThisFile(new pg.Client(database.adminUrl));
await other.connect();

const migrateRails = (limits?: Parameters<typeof migrate>[3]) =>
  migrate(database.adminUrl, "rails", rolePassword, limits);
const soon = { tableMs: 100, migratorMs: 100 };

it("can be run by two at once: the second one waits, and finds nothing to do", async () => {
  await other.query("drop schema rails cascade");
  await Promise.all([migrateRails(), migrateRails()]);
  const { rows } = await other.query("select name from rails.migration group by name having count(*) > 1");
  expect(rows).toEqual([]);
});

it("gives up when a table is locked, so that nobody waits behind it", async () => {
  await other.query("begin");
  await other.query("lock table rails.migration in access exclusive mode");
  await expect(migrateRails(soon)).rejects.toThrow(/lock timeout/);
  await other.query("rollback");
  await migrateRails(soon);
});

it("gives up when another migrator does not end", async () => {
  await other.query("begin");
  await other.query("select pg_advisory_xact_lock(hashtext('quittance.migrate'))");
  await expect(migrateRails(soon)).rejects.toThrow(/lock timeout/);
  await other.query("rollback");
  await migrateRails(soon);
});

it("gives a role 60 connections, so that it can't keep others out, or those that an operator allowed", async () => {
  // Roles belong to the server: on one of its own, this disturbs no other test.
  const bench = await forThisFile(createTestBench());
  const { adminUrl } = await bench.startPostgres();
  const admin = await forThisFile(connectTo(adminUrl));
  for (const service of services) await migrate(adminUrl, service, rolePassword);
  const { rows } = await admin.query(
    "select rolconnlimit as connections from pg_roles where rolname = any ($1)",
    [services],
  );
  expect(rows).toEqual(services.map(() => ({ connections: 60 })));
  await admin.query("alter role rails connection limit 1");
  await migrate(adminUrl, "rails", rolePassword);
  const url = Object.assign(new URL(adminUrl), { username: "rails", password: rolePassword }).href;
  await forThisFile(connectTo(url));
  await expect(connectTo(url)).rejects.toMatchObject({ code: "53300" });
});
