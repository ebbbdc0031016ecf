import { beforeEach, describe, expect, it } from "vitest";
import { ledgerAccountCreate } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { requestBy, refused, Tenant, codeOf, valueOf } from "../../../test/ledger/requests.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import { UpdateAccount } from "./update-account.handler.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { advisoryLockWaits } from "../../../test/stack/database/lock-waits.ts";
import { until } from "../../../test/stack/until.ts";
import { insertAccount } from "./store/accounts.ts";

let tenant: Tenant;

const { units } = await openLedgerOfFile();
beforeEach(() => {
  tenant = new Tenant(units);
});

describe("creating an account", () => {
  it("opens it at zero, with the request's fields and the defaults", async () => {
    const account = await tenant.creates("Payroll", { externalId: "ext-1", metadata: { team: "hr" } });
    expect(account).toEqual({
      id: expect.stringMatching(/^la_/),
      name: "Payroll",
      currency: "USD",
      normalBalance: "Credit",
      overdraft: "Allowed",
      externalId: "ext-1",
      description: null,
      metadata: { team: "hr" },
      pendingBalanceCents: 0,
      pendingInboundCents: 0,
      postedBalanceCents: 0,
      availableBalanceCents: 0,
      lastSequence: 0,
      status: "Open",
      closedAt: null,
      updatedAt: expect.stringMatching(/Z$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await tenant.reading.get({ id: account.id }, requestBy(tenant.id))).toEqual(account);
  });

  it("refuses a name that is taken, the chart's names too, and an externalId in use", async () => {
    await tenant.creates("Payroll", { externalId: "ext-1" });
    expect(await codeOf(tenant.creates("Payroll"))).toBe("name_taken");
    expect(await codeOf(tenant.creates("Settlement cash"))).toBe("name_taken");
    expect(await codeOf(tenant.creates("Other", { externalId: "ext-1" }))).toBe("external_id_in_use");
    expect((await tenant.lists()).data.map(({ name }) => name)).toEqual(["Payroll"]);
  });

  it.each([
    ["case", "CAFÉ STRASSE"],
    ["spaces", "Café  Straße"],
    ["composition", "Cafe\u0301 Straße"],
  ])("refuses a name that differs from another in %s alone, and names the other", async (_what, name) => {
    await tenant.creates("Café Straße");
    await expect(tenant.creates(name)).rejects.toMatchObject({
      ...refused("name_taken"),
      message: "This book has an account named Café Straße. Choose another name.",
    });
  });

  it("creates one account when two requests differ in case alone and arrive at once", async () => {
    await tenant.creates("First");
    const waits = async () => (await advisoryLockWaits(units.database.sql)) > 0;
    let second: Promise<string> | undefined;
    await units.units.run(async (unit) => {
      const account = ledgerAccountCreate.parse({ name: "Payroll" });
      await insertAccount(unit.sql, uuidOf(tenant.book), newUuid(), account);
      second = codeOf(tenant.creates("payroll"));
      await until(waits);
    });
    expect(await second).toBe("name_taken");
    expect((await tenant.lists()).data.map(({ name }) => name)).toEqual(["Payroll", "First"]);
  });

  it("keeps the accounts whose names collided earlier, each under its own name", async () => {
    const book = uuidOf(bookIdOf(tenant.id, "Test"));
    const { id: lower } = await tenant.creates("payroll");
    await units.database.sql(
      `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
       values ($1, $2, 'PAYROLL', 'USD', 'Credit', 'Tenant', 'Allowed'),
         ($1, $3, 'Pay  roll', 'USD', 'Credit', 'Tenant', 'Allowed')`,
      [book, newUuid(), newUuid()],
    );
    const named = async (name: string) => (await tenant.lists({ name })).data.map((each) => each.name);
    expect((await tenant.lists({ name: "payroll" })).data).toEqual([expect.objectContaining({ id: lower })]);
    expect(await named("PAYROLL")).toEqual(["PAYROLL"]);
    expect(await named("Pay  roll")).toEqual(["Pay  roll"]);
    expect(await codeOf(tenant.creates("Payroll"))).toBe("name_taken");
    expect(await codeOf(tenant.creates("Pay roll"))).toBe("name_taken");
  });

  it("is listed with its owner's: the tenant's own by default, the service's by owner=System", async () => {
    await tenant.creates("Payroll");
    const system = await tenant.lists({ owner: "System" });
    const names = system.data.map(({ name }) => name).toSorted();
    expect(names).toEqual([
      "Fuel tax expense",
      "Obligation expense",
      "Operator settlement expense",
      "Settlement cash",
      "Stablecoin wallet",
      "Suspense",
    ]);
    expect(system.data.find(({ name }) => name === "Suspense")).toMatchObject({
      normalBalance: "Credit",
      postedBalanceCents: 0,
      status: "Open",
    });
    expect((await tenant.lists({ owner: "Tenant" })).data.map(({ name }) => name)).toEqual(["Payroll"]);
    const suspense = { owner: "System", name: "Suspense" };
    expect((await tenant.lists(suspense)).data.map(({ name }) => name)).toEqual(["Suspense"]);
    expect((await tenant.lists({ name: "Suspense" })).data).toEqual([]);
    expect((await tenant.lists({ owner: "System", name: "Payroll" })).data).toEqual([]);
    const all = await tenant.lists({ owner: ["Tenant", "System"] });
    expect(all.data.map(({ name }) => name).toSorted()).toEqual([
      ...names.slice(0, 3),
      "Payroll",
      ...names.slice(3),
    ]);
    expect(
      (await tenant.lists({ owner: ["System", "Tenant"], name: ["Suspense", "Payroll"] })).data,
    ).toHaveLength(2);
    const first = await tenant.lists({ owner: "System", limit: 4 });
    const rest = await tenant.lists({ owner: "System", limit: 4, cursor: first.nextCursor });
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(system.data.map(({ id }) => id));
  });

  it("lets two tenants use one name", async () => {
    await tenant.creates("Payroll", { externalId: "ext-1" });
    const other = newId("ten");
    expect(await tenant.creates("Payroll", { externalId: "ext-1" }, requestBy(other))).toMatchObject({
      name: "Payroll",
    });
  });

  it("happens once per Idempotency-Key, also when 20 requests arrive at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => tenant.creates("Payroll", {}, requestBy(tenant.id, "k1"))),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    await expect(tenant.creates("Savings", {}, requestBy(tenant.id, "k1", "other"))).rejects.toMatchObject({
      ...refused("idempotency_key_reused"),
      context: { resourceId: answers[0]!.id },
    });
  });

  it("frees the key when it is refused", async () => {
    await tenant.creates("Payroll");
    expect(await codeOf(tenant.creates("Payroll", {}, requestBy(tenant.id, "k2")))).toBe("name_taken");
    expect(await tenant.creates("Savings", {}, requestBy(tenant.id, "k2"))).toMatchObject({
      name: "Savings",
    });
  });
});

describe("finding accounts", () => {
  it("finds a name with other spaces and in another composition, and no other case", async () => {
    await tenant.creates("Café reserve");
    const named = async (name: string) => (await tenant.lists({ name })).data.map((each) => each.name);
    expect(await named("  Cafe\u0301\u00a0 reserve ")).toEqual(["Café reserve"]);
    expect(await named("café reserve")).toEqual([]);
  });

  it("pages through the tenant's own, newest first", async () => {
    for (const name of ["One", "Two", "Three"]) await tenant.creates(name);
    const first = await tenant.lists({ limit: 2 });
    expect(first.data.map(({ name }) => name)).toEqual(["Three", "Two"]);
    expect(first.hasMore).toBe(true);
    const second = await tenant.lists({ limit: 2, cursor: first.nextCursor });
    expect(second).toMatchObject({ data: [{ name: "One" }], hasMore: false, nextCursor: null });
    expect((await tenant.lists({ name: "Two" })).data).toHaveLength(1);
    const named = { name: ["One", "Nobody", "Two"], limit: 1 };
    const newer = await tenant.lists(named);
    const older = await tenant.lists({ ...named, cursor: newer.nextCursor });
    expect([newer, older].map(({ data }) => data[0]?.name)).toEqual(["Two", "One"]);
    expect(older.hasMore).toBe(false);
  });

  it("refuses another tenant's cursor, and a cursor with other filters", async () => {
    for (const name of ["One", "Two"]) await tenant.creates(name);
    const { nextCursor } = await tenant.lists({ limit: 1 });
    expect(await codeOf(tenant.lists({ cursor: nextCursor, name: "One" }))).toBe("cursor_filter_mismatch");
    expect(await codeOf(tenant.lists({ cursor: "nonsense" }))).toBe("invalid_cursor");
  });

  it("does not find another book's account, another resource's id, or an unknown id", async () => {
    const account = await tenant.creates("Payroll");
    for (const [id, reader] of [
      [account.id, new Tenant(units)],
      [`po_${account.id.slice(3)}`, tenant],
      [newId("la"), tenant],
      ["nonsense", tenant],
    ] as const) {
      expect(await codeOf(tenant.reading.get({ id }, requestBy(reader.id)))).toBe("not_found");
      expect(await codeOf(reader.entriesOf(id))).toBe("not_found");
    }
  });

  it("resolves names and ids, and marks system accounts", async () => {
    const { id } = await tenant.creates("Payroll");
    const payroll = {
      ledgerAccountId: id,
      name: "Payroll",
      currency: "USD",
      normalBalance: "Credit",
      system: false,
      byNumber: false,
    };
    expect(await tenant.resolving.resolve({ nameOrId: "Payroll", as: "Name" }, requestBy(tenant.id))).toEqual(
      payroll,
    );
    expect(await tenant.resolving.resolve({ nameOrId: id, as: "Id" }, requestBy(tenant.id))).toEqual(payroll);
    expect(
      await tenant.resolving.resolve({ nameOrId: "Settlement cash", as: "Either" }, requestBy(tenant.id)),
    ).toMatchObject({
      system: true,
      normalBalance: "Debit",
    });
    for (const nameOrId of ["payroll", newId("la"), newUuid()]) {
      expect(await codeOf(tenant.resolving.resolve({ nameOrId, as: "Either" }, requestBy(tenant.id)))).toBe(
        "ledger_account_not_found",
      );
    }
    expect(
      await codeOf(tenant.resolving.resolve({ nameOrId: id, as: "Either" }, requestBy(newId("ten")))),
    ).toBe("ledger_account_not_found");
  });
});

describe("changing an account", () => {
  const update = async (id: string, patch: object, context = requestBy(tenant.id)) =>
    valueOf(await new UpdateAccount(units.units).update({ id, patch }, context));

  it("changes its description, and when it was updated; null removes the description", async () => {
    const account = await tenant.creates("Payroll", { description: "Salaries" });
    const changed = await update(account.id, { description: "Salaries and bonuses" });
    expect(changed).toEqual({
      ...account,
      description: "Salaries and bonuses",
      updatedAt: changed.updatedAt,
    });
    expect(changed.updatedAt! > account.updatedAt!).toBe(true);
    expect(await tenant.reading.get({ id: account.id }, requestBy(tenant.id))).toEqual(changed);
    expect((await update(account.id, { description: null })).description).toBeNull();
  });

  it("changes nothing without a description or with the same one, and repeats its answer under a key", async () => {
    const account = await tenant.creates("Payroll", { description: "Salaries" });
    expect(await update(account.id, {})).toEqual(account);
    expect(await update(account.id, { description: "Salaries" })).toEqual(account);
    const context = requestBy(tenant.id, "once");
    const changed = await update(account.id, { description: "Bonuses" }, context);
    await update(account.id, { description: "Fees" });
    expect(await update(account.id, { description: "Bonuses" }, context)).toEqual(changed);
    expect((await update(account.id, {})).description).toBe("Fees");
  });

  it("sets and removes pairs of its metadata, up to 50, and leaves the description", async () => {
    const account = await tenant.creates("Payroll", {
      description: "Salaries",
      metadata: { team: "ops", office: "chicago" },
    });
    const changed = await update(account.id, { metadata: { team: null, region: "west" } });
    expect(changed).toMatchObject({
      description: "Salaries",
      metadata: { office: "chicago", region: "west" },
    });
    expect(changed.updatedAt! > account.updatedAt!).toBe(true);
    expect(await update(account.id, { metadata: { region: "west" } })).toEqual(changed);
    const many = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`k${String(index)}`, "v"]));
    expect(await codeOf(update(account.id, { metadata: many }))).toBe("invalid_field");
    expect((await update(account.id, { metadata: null })).metadata).toEqual({});
  });

  it("describes a closed account too, but no system account and no stranger's", async () => {
    const account = await tenant.creates("Payroll");
    await tenant.closes(account.id);
    expect(await update(account.id, { description: "Until 2025" })).toMatchObject({
      status: "Closed",
      description: "Until 2025",
    });
    const system = chartAccountId(tenant.book, "SettlementCash");
    expect(await codeOf(update(system, { description: "Mine" }))).toBe("system_account_not_postable");
    const stranger = new Tenant(units);
    await stranger.creates("Other");
    expect(await codeOf(update(account.id, { description: "Mine" }, requestBy(stranger.id)))).toBe(
      "not_found",
    );
    expect(await codeOf(update("nonsense", { description: "Mine" }))).toBe("not_found");
  });
});
