import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId, newUuid } from "../../../contracts/ids/ids.ts";
import { requestBy, refused, Tenant } from "../../../test/ledger/requests.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/units.ts";

let units: TestUnits;
let tenant: Tenant;

beforeAll(async () => {
  units = await openFreshUnits("ledger");
});
afterAll(() => units.close());
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
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await tenant.reading.get({ id: account.id }, requestBy(tenant.id))).toEqual(account);
  });

  it("refuses a name that is taken, the chart's names too, and an externalId in use", async () => {
    await tenant.creates("Payroll", { externalId: "ext-1" });
    await expect(tenant.creates("Payroll")).rejects.toMatchObject(refused("name_taken"));
    await expect(tenant.creates("Settlement cash")).rejects.toMatchObject(refused("name_taken"));
    await expect(tenant.creates("Other", { externalId: "ext-1" })).rejects.toMatchObject(
      refused("external_id_in_use"),
    );
    expect((await tenant.lists()).data.map(({ name }) => name)).toEqual(["Payroll"]);
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
    await expect(tenant.creates("Payroll", {}, requestBy(tenant.id, "k2"))).rejects.toMatchObject(
      refused("name_taken"),
    );
    expect(await tenant.creates("Savings", {}, requestBy(tenant.id, "k2"))).toMatchObject({
      name: "Savings",
    });
  });
});

describe("finding accounts", () => {
  it("pages through the tenant's own, newest first", async () => {
    for (const name of ["One", "Two", "Three"]) await tenant.creates(name);
    const first = await tenant.lists({ limit: 2 });
    expect(first.data.map(({ name }) => name)).toEqual(["Three", "Two"]);
    expect(first.hasMore).toBe(true);
    const second = await tenant.lists({ limit: 2, cursor: first.nextCursor });
    expect(second).toMatchObject({ data: [{ name: "One" }], hasMore: false, nextCursor: null });
    expect((await tenant.lists({ name: "Two" })).data).toHaveLength(1);
  });

  it("refuses another tenant's cursor, and a cursor with other filters", async () => {
    for (const name of ["One", "Two"]) await tenant.creates(name);
    const { nextCursor } = await tenant.lists({ limit: 1 });
    await expect(tenant.lists({ cursor: nextCursor, name: "One" })).rejects.toMatchObject(
      refused("cursor_filter_mismatch"),
    );
    await expect(tenant.lists({ cursor: "nonsense" })).rejects.toMatchObject(refused("invalid_cursor"));
  });

  it("does not find another book's account, another resource's id, or an unknown id", async () => {
    const account = await tenant.creates("Payroll");
    for (const [id, reader] of [
      [account.id, new Tenant(units)],
      [`po_${account.id.slice(3)}`, tenant],
      [newId("la"), tenant],
      ["nonsense", tenant],
    ] as const) {
      await expect(tenant.reading.get({ id }, requestBy(reader.id))).rejects.toMatchObject(
        refused("not_found"),
      );
      await expect(reader.entriesOf(id)).rejects.toMatchObject(refused("not_found"));
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
      await expect(
        tenant.resolving.resolve({ nameOrId, as: "Either" }, requestBy(tenant.id)),
      ).rejects.toMatchObject(refused("ledger_account_not_found"));
    }
    await expect(
      tenant.resolving.resolve({ nameOrId: id, as: "Either" }, requestBy(newId("ten"))),
    ).rejects.toMatchObject(refused("ledger_account_not_found"));
  });
});
