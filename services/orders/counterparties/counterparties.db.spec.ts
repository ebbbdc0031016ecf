import { beforeAll, describe, expect, it } from "vitest";
import type { Counterparty } from "../../../contracts/http/payments/counterparties.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  CreateCounterparty,
  GetCounterparty,
  ListCounterparties,
  ReplaceCounterparty,
  VerifyCounterparty,
} from "../../../contracts/messages/orders.ts";
import { account, CounterpartiesOnTest } from "../../../test/stack/orders/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refused } from "../../../test/stack/refusals.ts";

const orders = new OrdersOnTest();
const counterparties = new CounterpartiesOnTest(orders);

describe("a counterparty", () => {
  it("is created unverified, its numbers masked to the last four", async () => {
    const made = await counterparties.create({
      externalId: "vendor-7",
      email: "ap@blue.example",
      metadata: { team: "north" },
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^cp_/),
      name: "Blue Freight",
      type: "Business",
      email: "ap@blue.example",
      externalId: "vendor-7",
      accounts: [{ rail: "Ach", accountNumber: "****4444", routingNumber: "021000021", accountType: null }],
      verificationStatus: "Unverified",
      verifiedBy: null,
      verifiedAt: null,
      archivedAt: null,
      archivedBy: null,
      detailsEnteredBy: ["maker"],
      metadata: { team: "north" },
      version: 1,
      createdBy: "maker",
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
    });
    expect(await counterparties.read(made.id)).toEqual(made);
  });

  it("may have one account on every rail, and none yet", async () => {
    const accounts = [
      account("GB82WEST12345698765432", { rail: "Wire" }),
      account("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", {
        rail: "Usdc",
        routingNumber: "base",
        accountType: "Wallet",
      }),
      account("1234", { rail: "Rtp", accountType: "Checking" }),
    ];
    const made = await counterparties.create({ accounts });
    expect(made.accounts.map(({ rail, accountNumber }) => [rail, accountNumber])).toEqual([
      ["Wire", "****5432"],
      ["Usdc", "****eAed"],
      // The last four of a four-digit number would be the whole number.
      ["Rtp", "****"],
    ]);
    expect((await counterparties.create({ accounts: [] })).accounts).toEqual([]);
  });

  it("is stored with its account numbers encrypted, and the id of their key", async () => {
    const { id } = await counterparties.create();
    const rows = await orders.sql<{ key_id: string; text: string }>(
      "select key_id, to_jsonb(a)::text as text from counterparty_account a where counterparty_id = $1",
      [uuidOf(id)],
    );
    expect(rows).toEqual([{ key_id: "k1", text: expect.stringContaining('"last4": "4444"') }]);
    expect(rows[0]?.text).not.toContain("4111222233334444");
  });

  it.each<[what: string, accounts: ReturnType<typeof account>[], refusal: string]>([
    ["two accounts on one rail", [account("12345"), account("67890")], "invalid_field /accounts/1/rail"],
    [
      "a number that its rail can't have",
      [account("12345"), account("123", { rail: "Rtp" })],
      "invalid_field /accounts/1/accountNumber",
    ],
    ["a masked number", [account("****4444")], "invalid_field /accounts/0/accountNumber"],
    [
      "a routing number with a wrong digit",
      [account("12345", { routingNumber: "021000022" })],
      "invalid_routing_number /accounts/0/routingNumber",
    ],
    [
      "an unknown network",
      [account("12345", { rail: "Usdc", routingNumber: "tron" })],
      "invalid_wallet_address /accounts/0/routingNumber",
    ],
    [
      "a wallet with a wrong checksum",
      [account("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", { rail: "Usdc", routingNumber: "base" })],
      "invalid_wallet_address /accounts/0/accountNumber",
    ],
    [
      "a bank account that is a wallet",
      [account("12345", { accountType: "Wallet" })],
      "invalid_field /accounts/0/accountType",
    ],
  ])("is refused with %s, and nothing is written", async (_what, accounts, refusal) => {
    const before = (await orders.sql("select 1 from counterparty")).length;
    expect(await refused(counterparties.create({ accounts }))).toBe(refusal);
    const existing = await counterparties.create();
    expect(await refused(counterparties.replace(existing.id, { accounts }))).toBe(refusal);
    expect(await counterparties.read(existing.id)).toEqual(existing);
    expect(await orders.sql("select 1 from counterparty")).toHaveLength(before + 1);
  });

  it("has an externalId that is unique in its book", async () => {
    await counterparties.create({ externalId: "taken" });
    expect(await refused(counterparties.create({ externalId: "taken" }))).toBe(
      "external_id_in_use /externalId",
    );
    const other = await counterparties.create({ externalId: "free" });
    expect(await refused(counterparties.replace(other.id, { externalId: "taken" }))).toBe(
      "external_id_in_use /externalId",
    );
    expect(await counterparties.read(other.id)).toEqual(other);
    const theirs = await counterparties.create({ externalId: "taken" }, { caller: orders.stranger() });
    expect(theirs.externalId).toBe("taken");
  });
});

describe("the texts of a counterparty", () => {
  // The ORM writes values into its statements instead of binding them (ADR 8), so no text may end or change one.
  it.each([
    "O'Hara",
    "\\'; drop table counterparty; --",
    "who? ?? ?0 $1 :name",
    "E'\\x27'",
    '"{}"\\',
    "%_",
    "$$;$$",
  ])("are kept in every field, and a filter finds them: %j", async (text) => {
    const texts = { name: text, externalId: text, metadata: { [text]: text } };
    const { id } = await counterparties.create(texts);
    await counterparties.replace(id, texts);
    expect(await counterparties.read(id)).toMatchObject(texts);
    const { value } = await orders.request(ListCounterparties, { externalId: text });
    expect(value.data.map((found) => found.id)).toEqual([id]);
  });
});

describe("PUT", () => {
  it("replaces everything: a field that is left out is cleared", async () => {
    const stored = { externalId: "old", email: "a@b.example", metadata: { a: "1" } };
    const { id } = await counterparties.create(stored);
    const next = { name: "Green Freight", type: "Individual", accounts: [] } as const;
    const replaced = await counterparties.replace(id, next);
    const cleared = { email: null, externalId: null, metadata: {} };
    expect(replaced).toMatchObject({ id, ...next, ...cleared, version: 2 });
    expect(await counterparties.read(id)).toEqual(replaced);
  });

  it("with If-Match changes only the version that was read", async () => {
    const { id } = await counterparties.create();
    expect(await counterparties.replace(id, { email: "one@b.example", ifMatch: [1] })).toMatchObject({
      version: 2,
    });
    await expectRefusal(
      counterparties.replace(id, { email: "two@b.example", ifMatch: [1] }),
      "precondition_failed",
      { context: { resourceId: id, currentVersion: 2 } },
    );
    expect(await counterparties.read(id)).toMatchObject({ email: "one@b.example", version: 2 });
    expect(await counterparties.replace(id, { ifMatch: [1, 2] })).toMatchObject({ version: 3 });
    // A foreign ETag matches no version.
    expect(await refused(counterparties.replace(id, { ifMatch: [] }))).toBe("precondition_failed");
    expect(await counterparties.replace(id)).toMatchObject({ version: 4 });
  });

  it("lets one of two concurrent requests with the same version win", async () => {
    const { id } = await counterparties.create();
    const both = await Promise.allSettled(
      ["one", "two"].map((name) =>
        counterparties.replace(id, { name, ifMatch: [1], accounts: [account(`55${name}`)] }),
      ),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const after = await counterparties.read(id);
    expect(after.version).toBe(2);
    expect(after.accounts[0]?.accountNumber).toBe(after.name === "one" ? "****5one" : "****5two");
  });
});

describe("an Idempotency-Key", () => {
  it("creates, replaces and verifies once", async () => {
    const made = await orders.request(CreateCounterparty, counterparties.body(), { key: "make" });
    const again = await orders.request(CreateCounterparty, counterparties.body(), { key: "make" });
    expect([made.replayed, again.replayed]).toEqual([false, true]);
    expect(again.value).toEqual(made.value);
    const { id } = made.value;
    const put = () =>
      orders.request(ReplaceCounterparty, { ...counterparties.body(), id, ifMatch: [1] }, { key: "put" });
    const { value } = await put();
    // The version has changed since, but the key is looked up before If-Match is compared.
    expect(await put()).toEqual({ value, replayed: true });
    const verified = await counterparties.verify(id, "checker", { key: "verify" });
    await counterparties.replace(id, { name: "Another" });
    expect(await counterparties.verify(id, "checker", { key: "verify" })).toEqual(verified);
    expect(await counterparties.read(id)).toMatchObject({ version: 4, verificationStatus: "Unverified" });
  });

  it("is free again after a refusal, and is refused with another body", async () => {
    const by = { caller: orders.caller(), key: "fix" };
    const short = counterparties.create({ accounts: [account("1")] }, by);
    expect(await refused(short)).toBe("invalid_field /accounts/0/accountNumber");
    const { id } = await counterparties.create({}, by);
    await expectRefusal(
      counterparties.create({}, { ...by, body: "another body" }),
      "idempotency_key_reused",
      { context: { resourceId: id } },
    );
  });
});

describe("a list of counterparties", () => {
  const listing = newId("ten");
  const lister = () => orders.caller("lister", listing);
  type Query = Parameters<typeof orders.request<typeof ListCounterparties>>[1];
  const list = async (query: Query = {}) =>
    (await orders.request(ListCounterparties, query, { caller: lister() })).value;
  const names = (page: { data: readonly Counterparty[] }) => page.data.map(({ name }) => name);

  beforeAll(async () => {
    for (const name of ["a", "b", "c", "d", "d"]) {
      const externalId = name === "b" ? "bee" : undefined;
      const { id } = await counterparties.create({ name, externalId }, { caller: lister() });
      const checker = orders.caller("checker", listing);
      if (name === "c") await orders.request(VerifyCounterparty, { id }, { caller: checker });
    }
  });

  it("is newest first, continues at its cursor, and filters", async () => {
    expect(names(await list())).toEqual(["d", "d", "c", "b", "a"]);
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({ hasMore: true });
    expect(names(await list({ limit: 9, cursor: first.nextCursor ?? "" }))).toEqual(["c", "b", "a"]);
    expect(names(await list({ externalId: "bee" }))).toEqual(["b"]);
    expect(names(await list({ name: "d" }))).toEqual(["d", "d"]);
    expect(names(await list({ name: " d\u00a0" }))).toEqual(["d", "d"]);
    expect(names(await list({ verificationStatus: "Verified" }))).toEqual(["c"]);
    expect(names(await list({ verificationStatus: "Verified", name: "a" }))).toEqual([]);
    expect(names(await list({ name: ["a", "d", "e"] }))).toEqual(["d", "d", "a"]);
    expect(names(await list({ externalId: ["bee", "no such"] }))).toEqual(["b"]);
    expect(names(await list({ verificationStatus: ["Verified", "Failed"] }))).toEqual(["c"]);
    expect(await refused(list({ cursor: first.nextCursor ?? "", name: "d" }))).toBe("cursor_filter_mismatch");
  });
});

describe("another book", () => {
  it("can neither read nor change ours", async () => {
    const { id } = await counterparties.create();
    const caller = orders.stranger();
    const requests = [
      orders.request(GetCounterparty, { id }, { caller }),
      orders.request(ReplaceCounterparty, { ...counterparties.body({ name: "Mallory" }), id }, { caller }),
      orders.request(VerifyCounterparty, { id }, { caller }),
      orders.request(GetCounterparty, { id: newId("po") }),
      orders.request(GetCounterparty, { id: "cp_nonsense" }),
    ];
    expect(await Promise.all(requests.map(refused))).toEqual(requests.map(() => "not_found"));
    expect((await orders.request(ListCounterparties, {}, { caller })).value.data).toEqual([]);
    expect(await counterparties.read(id)).toMatchObject({
      name: "Blue Freight",
      verificationStatus: "Unverified",
    });
  });
});
