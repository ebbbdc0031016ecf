import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectTo, createDatabase, type TestDatabase } from "../../test/stack/servers/database.ts";
import { compareMigrations } from "./older-database.ts";
import { claimPort, claimPorts } from "./processes/ports.ts";

let database: TestDatabase;
let admin: pg.Client;
beforeEach(async () => {
  database = await createDatabase(["ledger", "orders"]);
  admin = await connectTo(database.adminUrl);
});
afterEach(async () => {
  await admin.end();
  await database.drop();
});

const migrateAsOlderVersion = () =>
  admin.query("insert into ledger.migration (name) values ('0011-books-of-before')");

describe("a database that can't be reached", () => {
  it("is named with its setting, and its password is not", async () => {
    const port = await claimPort();
    const address = `127.0.0.1:${String(port)}`;
    const refusal: unknown = await compareMigrations(`postgres://user:secret@${address}/x`).catch(String);
    expect(refusal).toContain(`can't connect to Postgres at ${address} (DATABASE_URL)`);
    expect(refusal).not.toContain("secret");
  });

  it("is refused if its address is none of Postgres", async () => {
    await expect(compareMigrations("garbage")).rejects.toThrow("DATABASE_URL is no address of Postgres");
  });
});

describe("the migrations of another version", () => {
  it("are none in a database of this version", async () => {
    expect((await compareMigrations(database.adminUrl)).unknown).toEqual([]);
  });

  it("are none in an empty database, which lacks all of this version", async () => {
    await admin.query("drop schema ledger cascade");
    await admin.query("drop schema orders cascade");
    const { unknown, missing } = await compareMigrations(database.adminUrl);
    expect(unknown).toEqual([]);
    expect(missing).toContain("ledger 0001-books");
  });

  it("are found by names that this version has no file for", async () => {
    await migrateAsOlderVersion();
    await admin.query("delete from orders.migration where name = '0023-order-rechecks'");
    const { unknown, missing } = await compareMigrations(database.adminUrl);
    expect(unknown).toEqual(["ledger 0011-books-of-before"]);
    expect(missing.filter((name) => name.startsWith("orders "))).toEqual(["orders 0023-order-rechecks"]);
  });
});

describe("make start on a database of another version", () => {
  it("stops, explains how to start with empty data, and changes nothing", async () => {
    await migrateAsOlderVersion();
    await admin.query("delete from orders.migration");
    const { code, stderr } = await start();
    expect(code).toBe(1);
    expect(stderr).toContain(
      "another version of this service made the database: it has ledger 0011-books-of-before",
    );
    expect(stderr).toContain("give DATABASE_URL an empty database");
    const { rows: migrated } = await admin.query("select 1 from orders.migration");
    expect(migrated).toEqual([]);
    const { rows: schemas } = await admin.query("select 1 from pg_namespace where nspname = 'webhooks'");
    expect(schemas).toEqual([]);
  });

  it("stops also if that version is a newer one: a checkout begins anew, or goes on to it", async () => {
    await migrateAsOlderVersion();
    const { code, stderr } = await start();
    expect(code).toBe(1);
    expect(stderr).toContain("give DATABASE_URL an empty database");
  });
});

async function start(): Promise<{ code: number; stderr: string }> {
  const variables = ["API", "ORDERS", "LEDGER", "RAILS", "WEBHOOKS", "OPERATIONS", "NATS"];
  const ports = await claimPorts(variables.length);
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: database.adminUrl,
    ...Object.fromEntries(variables.map((name, index) => [`${name}_PORT`, String(ports[index])])),
  };
  const script = join(import.meta.dirname, "../start.ts");
  return promisify(execFile)(process.execPath, [script], { env }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: Error & { code: number; stderr: string }) => error,
  );
}
