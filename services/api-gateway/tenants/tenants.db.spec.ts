import { afterAll, describe, expect, it, vi } from "vitest";
import type { Refusal } from "../../../contracts/errors.ts";
import { runCommandLine } from "../../../scripts/operator/command-line/command-line.ts";
import { tenants as tool } from "../../../scripts/operator/tenants.ts";
import { SetCompletionDelay } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { hashOf } from "../auth/api-key.ts";
import { findKeyByHash, type KnownKey } from "../auth/store/known-keys.ts";
import { createTenant } from "./create-tenant.ts";

const gateway = await forThisFile(openFreshUnits("gateway"));

vi.stubEnv("DATABASE_URL", gateway.adminUrl);
afterAll(() => vi.unstubAllEnvs());

/** The tool's output, or its error without the line that names the operator. */
async function run(...args: string[]): Promise<string> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  const code = await runCommandLine(tool, args, streams);
  return (code === 0 ? out : error.slice(-1)).join("\n");
}
const reading = new Set([undefined, "list", "keys", "--help"]);
const tenants = (...args: string[]) => run(...args, ...(reading.has(args[0]) ? [] : ["--by", "ada"]));

/** Creates a key of ana's. */
const createKey = (tenant: string, mode: string, ...more: string[]) =>
  tenants("create-key", "--tenant", tenant, "--mode", mode, "--principal", "ana", ...more);

const waitsForLock = async () =>
  (
    await gateway.database.sql(
      `select from pg_locks l
       join pg_database d on d.oid = l.database
       where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
    )
  ).length > 0;

const unknown = "ten_01jd3k5s8ye9v8z2r0q3m7n4xa";

it("two tenants that are created at once can't have one name in two cases", async () => {
  const { second } = await gateway.units.run(async ({ sql }) => {
    await createTenant(sql, "Twice");
    let answered = false;
    const later = gateway.units
      .run((unit) => createTenant(unit.sql, "TWICE"))
      .then(
        () => "created",
        (error: Refusal) => error.code,
      )
      .finally(() => (answered = true));
    await until("the second one waits for the first", async () => answered || (await waitsForLock()));
    return { second: later };
  });
  expect(await second).toBe("name_taken");
});

describe("the operator's command line", () => {
  it("creates a tenant, and refuses a second one of that name", async () => {
    expect(await tenants("create", "Northwind")).toMatch(/^ten_[0-9a-z]{26}$/);
    expect(await tenants("create", " Northwind ")).toBe(
      "A tenant is already named Northwind, perhaps in another case. Choose another name.",
    );
    expect(await tenants("create", "NORTHWIND")).toBe(
      "A tenant is already named NORTHWIND, perhaps in another case. Choose another name.",
    );
    expect(await tenants("list")).toMatch(
      /^ten_[0-9a-z]{26} {2}Active {5}Northwind\n {2}Test book_[0-9a-z]{26} {2}Live book_[0-9a-z]{26}$/m,
    );
  });

  it("creates a key and shows it once; the key identifies the caller", async () => {
    await tenants("create", "Keyed");
    const made = await createKey("Keyed", "Live", "--scopes", "orders:read,orders:approve");
    const [, id, key] = /^(key_\S+) {2}(qt_live_\S+)\n/.exec(made) ?? [];
    const known = await findKeyByHash(gateway.database.sql, hashOf(key ?? ""));
    expect(known).toMatchObject({ apiKeyId: id, mode: "Live", principal: "ana", tenantActive: true });
    expect([...(known as KnownKey).scopes]).toEqual(["orders:read", "orders:approve"]);
    const listed = await tenants("keys", "Keyed");
    expect(listed).toContain("ana  no expiry  orders:read,orders:approve");
    expect(listed).not.toContain(key?.slice(8, 40));
  });

  it.each([
    ["an unknown scope", ["--scopes", "orders:everything"], "is not one of orders:read"],
    ["a malformed address", ["--scopes", "all", "--ip", "here"], "These are neither: here"],
    ["a malformed time", ["--scopes", "all", "--expires", "soon"], "--expires must be a future time"],
    ["a past expiry", ["--scopes", "all", "--expires", "2020-01-01"], "--expires must be a future time"],
    ["the operator's own name", ["--scopes", "all", "--principal", "Operator"], "Choose another name"],
    ["an unknown mode", ["--scopes", "all", "--mode", "Prod"], "--mode must be Test or Live"],
    ["no scope", ["--scopes", ""], "is not one of orders:read"],
    ["scopes left out", [], "missing: --scopes"],
    ["an unknown option", ["--scopes", "all", "--for", "ever"], "Unknown option '--for'"],
  ])("makes no key with %s", async (_what, args, complaint) => {
    await tenants("create", "Strict");
    expect(await createKey("Strict", "Test", ...args)).toContain(complaint);
    expect(await tenants("keys", "Strict")).toBe("");
  });

  it("suspends a tenant and publishes it for both of its books, in one transaction", async () => {
    const id = await tenants("create", "Suspended");
    await gateway.takeMessages();
    expect(await tenants("suspend", "Suspended")).toBe("suspended");
    expect(await tenants("suspend", id)).toBe("already suspended");
    // Old enough for the poller of a gateway's relay, which is the only publisher here.
    const [due] = await gateway.database.sql<{ messages: number }>(
      "select count(*)::int as messages from outbox where published_at is null and created_at < clock_timestamp() - interval '2 seconds'",
    );
    expect(due?.messages).toBe(2);
    const messages = await gateway.takeMessages();
    const type = "gateway.tenant-status-changed.v1";
    const suspended = { type, subject: id, sequence: 1, data: { tenantId: id, active: false } };
    expect(messages).toMatchObject([suspended, suspended]);
    expect(new Set(messages.map(({ book }) => book)).size).toBe(2);
    expect(await tenants("reactivate", id)).toBe("active again");
    const active = { type, sequence: 2, data: { active: true } };
    expect(await gateway.takeMessages()).toMatchObject([active, active]);
  });

  it("revokes a key, once", async () => {
    await tenants("create", "Revoking");
    const made = await createKey("Revoking", "Test", "--scopes", "all");
    const [id = "", key = ""] = made.split("\n", 1)[0]?.split("  ") ?? [];
    await gateway.takeMessages();
    expect(await tenants("revoke-key", id)).toBe("revoked");
    expect(await findKeyByHash(gateway.database.sql, hashOf(key))).toBeUndefined();
    expect((await gateway.takeMessages()).map(({ data }) => data)).toEqual([
      { apiKeyId: id },
      // It was the last key by which this principal could approve.
      { principal: "ana", heldUntil: "1970-01-01T00:00:00.000Z", heldSince: null },
    ]);
    expect(await tenants("revoke-key", id)).toBe(`There is no active key ${id}.`);
  });

  it("prints its usage", async () => {
    expect(await tenants()).toMatch(/^a command is missing\nusage: npm run tenants/);
    expect(await tenants("--help")).toMatch(/^usage: npm run tenants/);
    expect(await tenants("create-key", "--help")).toMatch(/^usage: npm run tenants/);
    expect(await tenants("destroy", "Nobody")).toMatch(/^unknown command destroy\nusage:/);
  });

  it.each([
    ["suspend", "Nobody", "no tenant named Nobody; see npm run tenants -- list"],
    ["reactivate", unknown, `no tenant ${unknown}; see npm run tenants -- list`],
    ["keys", unknown, `no tenant ${unknown}; see npm run tenants -- list`],
    ["revoke-key", "key_nonsense", "send the key's id, key_…; see npm run tenants -- keys <tenant>"],
    [
      "revoke-key",
      "key_01jd3k5s8ye9v8z2r0q3m7n4xa",
      "There is no active key key_01jd3k5s8ye9v8z2r0q3m7n4xa.",
    ],
    ["create", "", "<name>: Send a name of 1 to 100 visible characters."],
  ])("explains what is wrong with %s %s", async (command, name, complaint) => {
    expect((await tenants(command, name)).split("\n")[0]).toBe(complaint);
  });

  it("prints records with --json", async () => {
    const { id } = JSON.parse(await tenants("create", "Machine", "--json")) as { id: string };
    const listed = (await tenants("list", "--json"))
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string });
    expect(listed.find((tenant) => tenant.id === id)).toEqual({
      id,
      name: "Machine",
      status: "Active",
      createdAt: expect.stringMatching(/Z$/),
      testBook: expect.stringMatching(/^book_/),
      liveBook: expect.stringMatching(/^book_/),
    });
    expect(JSON.parse(await tenants("suspend", id, "--json"))).toEqual({
      id,
      status: "Suspended",
      changed: true,
    });
    expect(JSON.parse(await tenants("suspend", "Nobody", "--json"))).toEqual({
      error: "no tenant named Nobody; see npm run tenants -- list",
    });
  });
});

describe("a setting of a book", () => {
  it("is sent to orders for the tenant's book of that mode, in the operator's name", async () => {
    const messaging = await startMessaging();
    const { NATS_URL, NATS_PASSWORD } = messaging.environment("orders", gateway.adminUrl);
    vi.stubEnv("NATS_URL", NATS_URL).stubEnv("NATS_PASSWORD", NATS_PASSWORD);
    try {
      const received: { caller: object; data: object }[] = [];
      const orders = await messaging.connectAs("orders");
      orders.subscribe(SetCompletionDelay.subject, {
        callback: (_error, message) => {
          const request = message.json<(typeof received)[number]>();
          received.push(request);
          message.respond(JSON.stringify({ ok: true, value: request.data }));
        },
      });
      await orders.flush();
      const tenant = await tenants("create", "Settled");
      expect(await tenants("set", "Settled", "--mode", "Live", "--completes-after-banking-days", "5")).toBe(
        "settled ACH orders of the book complete after 5 banking days",
      );
      expect(received).toMatchObject([
        {
          caller: { tenant, mode: "Live", principal: "operator:ada" },
          data: { completesAfterBankingDays: 5 },
        },
      ]);
    } finally {
      await messaging.close();
    }
  });

  it("of nobody's book is refused before anything is sent", async () => {
    expect(await tenants("set", "Nobody", "--mode", "Test", "--completes-after-banking-days", "0")).toBe(
      "no tenant named Nobody; see npm run tenants -- list",
    );
  });
});
