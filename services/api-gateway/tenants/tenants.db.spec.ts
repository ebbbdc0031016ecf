import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/units.ts";
import { hashOf } from "../auth/api-key.ts";
import { findKeyByHash } from "../auth/store/api-keys.ts";

let gateway: FreshUnits;
beforeAll(async () => {
  gateway = await openFreshUnits("gateway");
});
afterAll(() => gateway.close());

const tool = join(import.meta.dirname, "../../../scripts/operator/tenants.ts");

/** The tool's output, or its one line of complaint. */
async function tenants(...args: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: gateway.adminUrl };
  const { stdout } = await promisify(execFile)("node", [tool, ...args], { env }).catch(
    (error: { stderr: string }) => ({
      stdout: error.stderr,
    }),
  );
  return stdout.trim();
}

describe("the operator's command line", () => {
  it("makes a tenant, once by that name", async () => {
    expect(await tenants("create", "Northwind")).toMatch(/^ten_[0-9a-z]{26}$/);
    expect(await tenants("create", " Northwind ")).toBe(
      "There is a tenant named Northwind: choose another name.",
    );
    expect(await tenants("list")).toMatch(
      /^ten_[0-9a-z]{26} {2}Active {5}Northwind\n {2}Test book_[0-9a-z]{26} {2}Live book_[0-9a-z]{26}$/,
    );
  });

  it("makes a key, shows it once, and says with it who calls", async () => {
    await tenants("create", "Keyed");
    const made = await tenants(
      "create-key",
      "--tenant",
      "Keyed",
      "--mode",
      "Live",
      "--principal",
      "ana",
      "--scopes",
      "orders:read,orders:approve",
    );
    const [, id, key] = /^(key_\S+) {2}(qt_live_\S+)\n/.exec(made) ?? [];
    const known = await findKeyByHash(gateway.database.sql, hashOf(key ?? ""));
    expect(known).toMatchObject({ id, mode: "Live", principal: "ana", tenantActive: true });
    expect([...(known?.scopes ?? [])]).toEqual(["orders:read", "orders:approve"]);
    const listed = await tenants("keys", "Keyed");
    expect(listed).toContain("ana  for ever  orders:read,orders:approve");
    expect(listed).not.toContain(key?.slice(8, 40));
  });

  it.each([
    ["a scope that there isn't", ["--scopes", "orders:everything"], "is none of orders:read"],
    ["an address that is none", ["--scopes", "all", "--ip", "here"], "these are neither: here"],
    ["a time that is none", ["--scopes", "all", "--expires", "soon"], "--expires is a time to come"],
    ["an end that is past", ["--scopes", "all", "--expires", "2020-01-01"], "--expires is a time to come"],
    ["the operator's own name", ["--scopes", "all", "--principal", "Operator"], "take another name"],
    ["a mode that there isn't", ["--scopes", "all", "--mode", "Prod"], "--mode is Test or Live"],
    ["no scope", [], "is none of orders:read"],
    ["an option that there isn't", ["--scopes", "all", "--for", "ever"], "Unknown option '--for'"],
  ])("makes no key with %s", async (_what, args, complaint) => {
    await tenants("create", "Strict");
    const said = await tenants(
      "create-key",
      "--tenant",
      "Strict",
      "--mode",
      "Test",
      "--principal",
      "ana",
      ...args,
    );
    expect(said).toContain(complaint);
    expect(await tenants("keys", "Strict")).toBe("");
  });

  it("suspends a tenant and says so to both of its books, in one transaction", async () => {
    const id = await tenants("create", "Suspended");
    await gateway.takeMessages();
    expect(await tenants("suspend", "Suspended")).toBe("suspended");
    expect(await tenants("suspend", id)).toBe("suspended already");
    // Old enough for the next look of a gateway's relay: nobody else would send them on.
    const [due] = await gateway.database.sql<{ messages: number }>(
      "select count(*)::int as messages from outbox where published_at is null and created_at < clock_timestamp() - interval '2 seconds'",
    );
    expect(due?.messages).toBe(2);
    const messages = await gateway.takeMessages();
    expect(messages.map(({ type, subject, data }) => ({ type, subject, data }))).toEqual([
      { type: "gateway.tenant-status-changed.v1", subject: id, data: { tenantId: id, active: false } },
      { type: "gateway.tenant-status-changed.v1", subject: id, data: { tenantId: id, active: false } },
    ]);
    expect(new Set(messages.map(({ book }) => book)).size).toBe(2);
    expect(await tenants("reactivate", id)).toBe("active again");
  });

  it("revokes a key, once", async () => {
    await tenants("create", "Revoking");
    const made = await tenants(
      "create-key",
      "--tenant",
      "Revoking",
      "--mode",
      "Test",
      "--principal",
      "ana",
      "--scopes",
      "all",
    );
    const [id = "", key = ""] = made.split("\n", 1)[0]?.split("  ") ?? [];
    await gateway.takeMessages();
    expect(await tenants("revoke-key", id)).toBe("revoked");
    expect(await findKeyByHash(gateway.database.sql, hashOf(key))).toBeUndefined();
    expect((await gateway.takeMessages()).map(({ data }) => data)).toEqual([{ apiKeyId: id }]);
    expect(await tenants("revoke-key", id)).toBe(`There is no active key ${id}.`);
  });

  it("says how it is used", async () => {
    expect(await tenants()).toMatch(/^usage: npm run tenants/);
    expect(await tenants("--help")).toMatch(/^usage: npm run tenants/);
    expect(await tenants("create-key", "--help")).toMatch(/^usage: npm run tenants/);
    expect(await tenants("destroy", "Nobody")).toMatch(/^there is no command destroy\nusage:/);
  });

  it.each([
    ["suspend", "Nobody", "there is no tenant named Nobody: npm run tenants -- list"],
    [
      "reactivate",
      "ten_01jd3k5s8ye9v8z2r0q3m7n4xa",
      "there is no tenant ten_01jd3k5s8ye9v8z2r0q3m7n4xa: npm run tenants -- list",
    ],
    [
      "keys",
      "ten_01jd3k5s8ye9v8z2r0q3m7n4xa",
      "there is no tenant ten_01jd3k5s8ye9v8z2r0q3m7n4xa: npm run tenants -- list",
    ],
    ["revoke-key", "key_nonsense", "name the key by its id, key_…: npm run tenants -- keys <tenant>"],
    [
      "revoke-key",
      "key_01jd3k5s8ye9v8z2r0q3m7n4xa",
      "There is no active key key_01jd3k5s8ye9v8z2r0q3m7n4xa.",
    ],
    ["create", "", "Give the tenant a name of 1 to 100 characters that can be seen."],
  ])("says what is wrong with %s %s", async (command, name, complaint) => {
    expect(await tenants(command, name)).toBe(complaint);
  });
});
