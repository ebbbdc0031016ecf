import { describe, expect, it } from "vitest";
import type {
  LedgerAccount,
  LedgerTransaction,
  LedgerTransactionPage,
} from "../../../clients/typescript/types.gen.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import type { PartName } from "../../../scripts/local/demo/seed.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

// A tenant moves money between its own accounts, over HTTP.
const world = await forThisFile(OwnWorld.start({ isPatient: true, instances: 2 }));
const payer = await world.payerWith(usd("500.00"));
for (const name of ["Operating", "Fees", "Reserve"]) {
  await world.post("/v1/ledger-accounts", { name, ...(name === "Reserve" ? { overdraft: "Refused" } : {}) });
}

type Reply<T> = Answer<T & Pick<Problem, "code" | "detail" | "errors">>;
interface More {
  readonly body?: unknown;
  readonly as?: PartName;
  readonly headers?: Record<string, string>;
}
const send = <T = LedgerTransaction>(
  method: "GET" | "POST",
  path: string,
  { as = "maker", ...more }: More = {},
) => world.send<T>(world.tenant.keys[as], method, path, more) as Promise<Reply<T>>;
const transactions = "/v1/ledger-transactions";
const entry = (ledgerAccountName: string, direction: string, amountCents: unknown) => ({
  ledgerAccountName,
  direction,
  amountCents,
});
const fee = (change: object = {}) => ({
  description: "Fee of March",
  entries: [entry("Operating", "Debit", usd("12.50")), entry("Fees", "Credit", usd("12.50"))],
  ...change,
});
const create = (change: object = {}, more: More = {}) =>
  send("POST", transactions, { body: fee(change), ...more });
async function balanceOf(name: string): Promise<{ posted: number; pending: number; available: number }> {
  const found = await send<{ data: LedgerAccount[] }>(
    "GET",
    `/v1/ledger-accounts?name=${encodeURIComponent(name)}`,
  );
  const [account] = found.body.data;
  return {
    posted: account?.postedBalanceCents ?? Number.NaN,
    pending: account?.pendingBalanceCents ?? Number.NaN,
    available: account?.availableBalanceCents ?? Number.NaN,
  };
}
const lastSequence = async () => {
  const { body } = await send<LedgerTransactionPage>("GET", `${transactions}?limit=1`);
  return Math.max(...(body.data[0]?.journals.map(({ sequence }) => sequence) ?? [0]));
};

describe("a manual transaction", () => {
  it("is posted at once, and reversed as a step of the same transaction", async () => {
    const before = await balanceOf("Fees");
    const made = await create({ externalId: "fee-1", metadata: { team: "ops" } });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`${transactions}/${made.body.id}`);
    expect(made.body).toMatchObject({ status: "Posted", externalId: "fee-1", owner: null, reversedAt: null });
    expect((await balanceOf("Fees")).posted).toBe(before.posted + usd("12.50"));
    expect((await send("GET", `${transactions}/${made.body.id}`)).body).toEqual(made.body);

    const reversed = await send("POST", `${transactions}/${made.body.id}/reverse`, {
      body: { description: "Charged twice" },
    });
    expect(reversed.status).toBe(200);
    expect(reversed.body.journals.map(({ kind, description }) => [kind, description])).toEqual([
      ["Post", null],
      ["Reverse", "Charged twice"],
    ]);
    expect(await balanceOf("Fees")).toEqual(before);
    const again = await send("POST", `${transactions}/${made.body.id}/reverse`);
    expect([again.status, again.body.code]).toEqual([409, "already_reversed"]);
  });

  it("holds the money until it is posted or voided", async () => {
    const before = await balanceOf("Operating");
    const [one, two] = [await create({ status: "Pending" }), await create({ status: "Pending" })];
    expect([one.body.status, two.body.status]).toEqual(["Pending", "Pending"]);
    expect(await balanceOf("Operating")).toEqual({
      posted: before.posted,
      pending: before.pending + usd("25.00"),
      available: before.available - usd("25.00"),
    });
    const posted = await send("POST", `${transactions}/${one.body.id}/post`);
    expect([posted.status, posted.body.status]).toEqual([200, "Posted"]);
    const voided = await send("POST", `${transactions}/${two.body.id}/void`);
    expect([voided.status, voided.body.status]).toEqual([200, "Voided"]);
    expect(await balanceOf("Operating")).toEqual({
      posted: before.posted - usd("12.50"),
      pending: before.pending,
      available: before.available - usd("12.50"),
    });
    for (const [{ body }, actions] of [
      [one, ["post", "void"]],
      [two, ["post", "void", "reverse"]],
    ] as const) {
      for (const action of actions) {
        const refused = await send("POST", `${transactions}/${body.id}/${action}`);
        expect([refused.status, refused.body.code]).toEqual([409, "invalid_state_transition"]);
      }
    }
  });

  it("is created once per Idempotency-Key, however many requests arrive at once", async () => {
    const before = await balanceOf("Fees");
    const headers = { "idempotency-key": "fee-of-may" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => create({}, { headers })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await balanceOf("Fees")).posted).toBe(before.posted + usd("12.50"));
    const other = await create({ description: "Another" }, { headers });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
  });

  it("keeps the balances right when many are created at once on two instances", async () => {
    const before = await balanceOf("Fees");
    const made = await Promise.all(Array.from({ length: 40 }, () => create()));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect((await balanceOf("Fees")).posted).toBe(before.posted + 40 * usd("12.50"));
    const sequences = made.flatMap(({ body }) => body.journals.map(({ sequence }) => sequence));
    expect(new Set(sequences).size).toBe(40);
  });

  it("is listed with the others, by account, by reference and by time", async () => {
    const made = await create({ externalId: "fee-listed" });
    const order = await payer.pays(usd("5.00"));
    const settled = await world.comesToRest(order.id);
    const page = await send<LedgerTransactionPage>("GET", `${transactions}?limit=2`);
    expect(page.body.data.map(({ id, owner }) => [id, owner])).toEqual([
      [settled.ledgerTransactionId, { kind: "PaymentOrder", id: order.id }],
      [made.body.id, null],
    ]);
    expect(page.headers.get("link")).toContain('rel="next"');
    const found = async (query: string) => {
      const { body } = await send<LedgerTransactionPage>("GET", `${transactions}?${query}`);
      return body.data.map(({ id }) => id);
    };
    expect(await found("externalId=fee-listed")).toEqual([made.body.id]);
    const onAccount = await found(`ledgerAccountId=${payer.accountId}&limit=1`);
    expect(onAccount).toEqual([settled.ledgerTransactionId]);
    const from = encodeURIComponent(made.body.createdAt);
    expect(await found(`createdAt[gte]=${from}&limit=100`)).toEqual([
      settled.ledgerTransactionId,
      made.body.id,
    ]);
    const unknown = await send("GET", `${transactions}?status=Posted`);
    expect([unknown.status, unknown.body.code]).toEqual([400, "unknown_parameter"]);
  });

  it("of an order can be read, but only the order changes it", async () => {
    const { id, ledgerTransactionId } = await world.comesToRest((await payer.pays(usd("5.00"))).id);
    for (const action of ["post", "void", "reverse"]) {
      const refused = await send("POST", `${transactions}/${String(ledgerTransactionId)}/${action}`);
      expect(refused.status).toBe(409);
      expect(refused.body).toMatchObject({ code: "transaction_owned", owner: { kind: "PaymentOrder", id } });
    }
  });

  it("needs the scope to write", async () => {
    const refused = await create({}, { as: "approver1" });
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
  });
});

describe("is refused with its own code, and writes nothing:", () => {
  const [debit, credit] = [entry("Operating", "Debit", 5), entry("Fees", "Credit", 5)];
  const elsewhere = (id: string) => ({ ...debit, ledgerAccountName: undefined, ledgerAccountId: id });
  const from = (debited: object) => ({ entries: [debited, credit] });
  it.each<[string, number, string, object]>([
    ["unbalanced", 422, "unbalanced_transaction", { entries: [debit, entry("Fees", "Credit", 4)] }],
    ["one-sided", 422, "unbalanced_transaction", { entries: [debit, debit] }],
    ["zero", 400, "invalid_field", { entries: [entry("Operating", "Debit", 0), entry("Fees", "Credit", 0)] }],
    ["negative", 400, "invalid_field", from(entry("Operating", "Debit", -5))],
    ["a float", 400, "invalid_field", from(entry("Operating", "Debit", 5.5))],
    ["a text", 400, "invalid_field", from(entry("Operating", "Debit", "5"))],
    ["too much", 400, "invalid_field", from(entry("Operating", "Debit", 1_000_000_000_000))],
    ["another currency", 422, "currency_mismatch", { currency: "EUR" }],
    ["no currency", 400, "invalid_field", { currency: "dollars" }],
    ["the chart by name", 422, "system_account_not_postable", from(entry("Settlement cash", "Debit", 5))],
    ["nobody's account", 422, "ledger_account_not_found", from(elsewhere(newId("la")))],
    ["an order's id as an account", 422, "ledger_account_not_found", from(elsewhere(newId("po")))],
    ["both names of an account", 400, "invalid_field", from({ ...debit, ledgerAccountId: newId("la") })],
    ["no name of an account", 400, "missing_field", from({ ...debit, ledgerAccountName: undefined })],
    ["one entry", 400, "invalid_field", { entries: [debit] }],
    ["101 entries", 400, "invalid_field", { entries: Array.from({ length: 101 }, () => debit) }],
    ["no entries", 400, "missing_field", { entries: undefined }],
    ["an unknown direction", 400, "invalid_field", from(entry("Operating", "Up", 5))],
    ["an unknown member", 400, "unknown_field", { colour: "red" }],
    ["an unknown member of an entry", 400, "unknown_field", from({ ...debit, colour: "red" })],
    ["no description", 400, "missing_field", { description: undefined }],
    ["a status that nobody can give", 400, "invalid_field", { status: "Voided" }],
    ["demo data, posted", 422, "basis_is_demo_data", { basis: "Demo" }],
    ["a missing input, posted", 422, "basis_missing_input", { basis: "Missing" }],
    [
      "a reserve that can't cover it",
      422,
      "insufficient_funds",
      { status: "Pending", ...from(entry("Reserve", "Debit", 5)) },
    ],
    ["before the book began", 422, "effective_date_invalid", { effectiveAt: "2020-01-02T00:00:00.000Z" }],
    ["in the future", 422, "effective_date_invalid", { effectiveAt: "2999-01-02T00:00:00+01:00" }],
    ["no time at all", 400, "invalid_field", { effectiveAt: "yesterday" }],
  ])("%s", async (_what, status, code, change) => {
    const before = await lastSequence();
    expect(await create(change)).toMatchObject({ status, body: { code } });
    expect(await lastSequence()).toBe(before);
  });

  it("the same externalId, and frees its key", async () => {
    await create({ externalId: "fee-2" });
    const headers = { "idempotency-key": "fee-2" };
    const refused = await create({ externalId: "fee-2" }, { headers });
    expect([refused.status, refused.body.code]).toEqual([409, "external_id_in_use"]);
    expect((await create({ externalId: "fee-3" }, { headers })).status).toBe(201);
  });

  it("an unknown transaction, or an id of another kind", async () => {
    for (const path of [newId("lt"), newId("po"), "lt_nothing"]) {
      const read = await send("GET", `${transactions}/${path}`);
      expect([read.status, read.body.code]).toEqual([404, "not_found"]);
      for (const action of ["post", "void", "reverse"]) {
        const refused = await send("POST", `${transactions}/${path}/${action}`);
        expect([refused.status, refused.body.code]).toEqual([404, "not_found"]);
      }
    }
  });
});

describe("closing an account", () => {
  it("needs it empty; later transactions and orders on it are refused with ledger_account_closed", async () => {
    const { body: account } = await send<LedgerAccount>("POST", "/v1/ledger-accounts", {
      body: { name: "Year 2025" },
    });
    const entries = [entry("Operating", "Debit", 5), entry("Year 2025", "Credit", 5)];
    const paid = await create({ entries });
    const open = await send("POST", `/v1/ledger-accounts/${account.id}/close`);
    expect([open.status, open.body.code]).toEqual([409, "invalid_state_transition"]);
    expect(open.body.detail).toBe("The account has 5 cents posted. Bring its balances to zero first.");
    await send("POST", `${transactions}/${paid.body.id}/reverse`);
    const closed = await send<LedgerAccount>("POST", `/v1/ledger-accounts/${account.id}/close`);
    expect(closed.body).toMatchObject({ status: "Closed", closedAt: expect.any(String) });
    expect(await create({ entries })).toMatchObject({ status: 422, body: { code: "ledger_account_closed" } });
    const order = await world.post("/v1/payment-orders", {
      direction: "Credit",
      rail: "Book",
      amountCents: 5,
      ledgerAccountName: "Operating",
      counterpartyAccountNumber: "Year 2025",
    });
    const failed = await world.comesToRest((order.body as { id: string }).id);
    expect(failed).toMatchObject({ status: "Failed", failure: { code: "ledger_account_closed" } });
  });
});
