import { virtualAccountQuery } from "../../../contracts/http/ledger/virtual-accounts.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { isVirtualNumber } from "../../../contracts/virtual-number.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { requestBy, codeOf, refused, valueOf } from "../../../test/ledger/requests.ts";
import { refusalOf, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { IdempotentReplay } from "../../platform/handlers/decorators.ts";

let acme: Depositor;
const ledger = await openLedgerOfFile();
beforeEach(async () => {
  acme = await Depositor.of(ledger);
});

describe("a virtual account", () => {
  it("has a number of 17 digits with a valid check digit, which is not stored in plain text", async () => {
    const body = { name: "Blue Freight", ledgerAccountName: "Deposits", counterpartyId: acme.counterpartyId };
    const made = await acme.writing.create(body, requestBy(acme.tenant.id, "once"));
    if (made instanceof IdempotentReplay) throw new Error("it was made before");
    expect(isVirtualNumber(made.accountNumber)).toBe(true);
    expect(made.counterpartyId).toBe(acme.counterpartyId);
    expect(made).toMatchObject({
      status: "Active",
      routingNumber: "790001005",
      ledgerAccountName: "Deposits",
    });
    const { rows } = await ledger.superuser.query(
      `select (select string_agg(v::text, ' ') from virtual_account v)
         || (select string_agg(a::text, ' ') from idempotency a) as everything`,
    );
    expect(rows[0].everything).toContain(made.name);
    expect(rows[0].everything).not.toContain(made.accountNumber);
  });

  it("is read with the same number, and so is the answer to a repeated request", async () => {
    const body = { name: "Blue Freight", ledgerAccountName: "Deposits" };
    const made = await acme.writing.create(body, requestBy(acme.tenant.id, "once"));
    const again = await acme.writing.create(body, requestBy(acme.tenant.id, "once"));
    expect(again).toEqual(new IdempotentReplay(made));
    expect((await acme.numbers.list({ limit: 10 }, acme.context)).data).toEqual([made]);
  });

  it("is answered again under its key, whatever orders answers about its counterparty later", async () => {
    const body = { name: "Blue Freight", ledgerAccountName: "Deposits", counterpartyId: acme.counterpartyId };
    const made = await acme.writing.create(body, requestBy(acme.tenant.id, "once"));
    acme.counterpartyId = newId("cp");
    const again = await acme.writing.create(body, requestBy(acme.tenant.id, "once"));
    expect(again).toEqual(new IdempotentReplay(made));
  });

  it("has a description that can be changed and removed, of a closed one too", async () => {
    const { id } = await acme.aNumber({ description: "Deposits" });
    const update = async (patch: object, context = acme.context) =>
      valueOf(await acme.writing.update({ id, patch }, context));
    const made = await update({});
    expect(made.description).toBe("Deposits");
    const changed = await update({ description: "Rent" });
    expect(changed).toEqual({ ...made, description: "Rent", updatedAt: changed.updatedAt });
    expect(changed.updatedAt > made.updatedAt).toBe(true);
    expect(await update({ description: "Rent" })).toEqual(changed);
    expect(await acme.numbers.get({ id }, acme.context)).toEqual(changed);
    await acme.writing.change({ id, action: "Close" }, acme.context);
    expect(await update({ description: null })).toMatchObject({ status: "Closed", description: null });
    expect(await codeOf(update({ description: "Mine" }, requestBy(newId("ten"))))).toBe("not_found");
  });

  it("has metadata whose pairs can be changed and removed, and keeps its description", async () => {
    const { id } = await acme.aNumber({
      description: "Deposits",
      metadata: { customer: "7", region: "west" },
    });
    const update = async (patch: object) => valueOf(await acme.writing.update({ id, patch }, acme.context));
    const changed = await update({ metadata: { customer: "8", region: null } });
    expect(changed).toMatchObject({ description: "Deposits", metadata: { customer: "8" } });
    expect(await update({ metadata: { customer: "8" } })).toEqual(changed);
    expect(await acme.numbers.get({ id }, acme.context)).toEqual(changed);
    const tooMany = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${String(index)}`, "v"]));
    expect(await codeOf(update({ metadata: tooMany }))).toBe("invalid_field");
    expect((await update({ metadata: null })).metadata).toEqual({});
  });

  it("is found by its ledger account and its externalId, and only by its own tenant", async () => {
    const other = await acme.tenant.creates("Fees");
    const plain = await acme.aNumber();
    const named = await acme.aNumber({ ledgerAccountName: "Fees", externalId: "customer-7" });
    const list = async (filter: object, context = acme.context) =>
      (await acme.numbers.list(virtualAccountQuery.parse(filter), context)).data.map(({ id }) => id);
    expect(await list({})).toEqual([named.id, plain.id]);
    expect(await list({ ledgerAccountId: other.id })).toEqual([named.id]);
    expect(await list({ externalId: "customer-7" })).toEqual([named.id]);
    expect(await list({ ledgerAccountId: [newId("la"), other.id, plain.ledgerAccountId] })).toEqual([
      named.id,
      plain.id,
    ]);
    expect(await list({ externalId: ["nobody", "customer-7"] })).toEqual([named.id]);
    const stranger = requestBy(newId("ten"));
    expect(await list({ ledgerAccountId: other.id }, stranger)).toEqual([]);
    expect(await list({ externalId: "customer-7" }, stranger)).toEqual([]);
    expect(await codeOf(acme.numbers.get({ id: plain.id }, stranger))).toBe("not_found");
    expect(await codeOf(acme.writing.change({ id: plain.id, action: "Close" }, stranger))).toBe("not_found");
  });

  it.each([
    ["no account", { ledgerAccountName: undefined }, "missing_field"],
    ["an account twice", { ledgerAccountId: newId("la") }, "invalid_field"],
    ["an account that is not there", { ledgerAccountName: "Nowhere" }, "ledger_account_not_found"],
    [
      "an id of something else",
      { ledgerAccountName: undefined, ledgerAccountId: newId("po") },
      "ledger_account_not_found",
    ],
    ["an account of the chart", { ledgerAccountName: "Suspense" }, "system_account_not_postable"],
    ["a counterparty that is not there", { counterpartyId: newId("cp") }, "not_found"],
  ])("is refused for %s", async (_what, change, code) => {
    expect(await codeOf(acme.aNumber(change))).toBe(code);
    expect((await acme.numbers.list({ limit: 10 }, acme.context)).data).toEqual([]);
  });

  it("is refused for an archived counterparty, with the field that names it", async () => {
    acme.counterpartyArchivedAt = "2026-03-02T15:00:00.000Z";
    const { counterpartyId } = acme;
    await expect(acme.aNumber({ counterpartyId })).rejects.toMatchObject({
      ...refused("counterparty_archived"),
      errors: [{ pointer: "/counterpartyId" }],
      context: { resourceId: counterpartyId },
    });
    expect((await acme.numbers.list({ limit: 10 }, acme.context)).data).toEqual([]);
  });

  it("is refused for a Debit-normal account, a closed one, and an externalId that is in use", async () => {
    await acme.tenant.creates("Advances", { normalBalance: "Debit" });
    expect(await codeOf(acme.aNumber({ ledgerAccountName: "Advances" }))).toBe("invalid_field");
    await acme.tenant.creates("Old");
    await acme.closesLedgerAccount("Old");
    expect(await codeOf(acme.aNumber({ ledgerAccountName: "Old" }))).toBe("ledger_account_closed");
    await acme.aNumber({ externalId: "customer-7" });
    expect(await codeOf(acme.aNumber({ externalId: "customer-7" }))).toBe("external_id_in_use");
  });

  it("can be disabled and enabled any number of times; closing it can't be undone", async () => {
    const { id } = await acme.aNumber();
    expect((await acme.change({ id }, "Disable")).status).toBe("Disabled");
    expect((await acme.change({ id }, "Disable")).status).toBe("Disabled");
    expect((await acme.change({ id }, "Enable")).status).toBe("Active");
    expect((await acme.change({ id }, "Close")).status).toBe("Closed");
    expect((await acme.change({ id }, "Close")).status).toBe("Closed");
    for (const action of ["Enable", "Disable"] as const) {
      await expect(acme.change({ id }, action)).rejects.toMatchObject({
        ...refused("invalid_state_transition"),
        context: { currentStatus: "Closed" },
      });
    }
  });
});

describe("Postgres", () => {
  it("lets only the status of a virtual account change, and refuses to reopen a closed one", async () => {
    const made = await acme.aNumber();
    const tries = (change: string) =>
      refusalOf(ledger.superuser, `update virtual_account set ${change} where true`);
    expect(await tries("ledger_account_id = book_id")).toBe("LG001 virtual_account_identity");
    expect(await tries("number_hash = sha256('x')")).toBe("LG001 virtual_account_identity");
    expect(await tries("name = 'mine'")).toBe("LG001 virtual_account_identity");
    await acme.change(made, "Close");
    expect(await tries("status = 'Active'")).toBe("LG001 virtual_account_identity");
    expect(await refusalOf(ledger.superuser, "delete from virtual_account")).toBe("LG001 append_only");
    expect(await refusalOf(ledger.superuser, "truncate virtual_account cascade")).toBe("LG001 append_only");
    expect(await refusalOf(ledger.service, "update virtual_account set name = 'mine'")).toMatch(/^42501/);
  });

  it("refuses a number that any book has, and a virtual account of a system account", async () => {
    await acme.aNumber();
    const copies = (change: string, where: string) =>
      refusalOf(
        ledger.superuser,
        `insert into virtual_account (book_id, virtual_account_id, name, ledger_account_id, number_hash, key_id, ciphertext)
           select a.book_id, gen_random_uuid(), v.name, a.account_id, ${change}, v.key_id, v.ciphertext
           from virtual_account v, account a
           where ${where}
           limit 1`,
      );
    const elsewhere = "a.book_id <> v.book_id and a.class = 'Tenant' and a.normal_balance = 'Credit'";
    expect(await copies("v.number_hash", elsewhere)).toBe("23505 virtual_account_number_unique");
    expect(await copies("sha256('x')", "a.class = 'Suspense'")).toBe("LG001 virtual_account_credits_tenant");
  });
});

describe("the number of a virtual account", () => {
  const resolved = (nameOrId: string) =>
    acme.tenant.resolving.resolve({ nameOrId, as: "Either" }, acme.context);

  it("resolves to its ledger account, even if another account has the number as its name", async () => {
    const { accountNumber, ledgerAccountId } = await acme.aNumber();
    await acme.tenant.creates(accountNumber);
    expect(await resolved(accountNumber)).toMatchObject({
      ledgerAccountId,
      name: "Deposits",
      byNumber: true,
    });
  });

  it("resolves to nothing while it is disabled or closed, in another book, or when a name is requested", async () => {
    const made = await acme.aNumber();
    const stranger = requestBy(newId("ten"));
    const { resolving } = acme.tenant;
    expect(await codeOf(resolving.resolve({ nameOrId: made.accountNumber, as: "Either" }, stranger))).toBe(
      "ledger_account_not_found",
    );
    expect(await codeOf(resolving.resolve({ nameOrId: made.accountNumber, as: "Name" }, acme.context))).toBe(
      "ledger_account_not_found",
    );
    await acme.change(made, "Disable");
    expect(await codeOf(resolved(made.accountNumber))).toBe("ledger_account_not_found");
    await acme.change(made, "Close");
    expect(await codeOf(resolved(made.accountNumber))).toBe("ledger_account_not_found");
  });
});
