import { beforeEach, describe, expect, it } from "vitest";
import type { Refusal } from "../../../contracts/errors.ts";
import type { LedgerTransaction } from "../../../contracts/http/ledger/ledger-transactions.ts";
import { newId, uuidOf, type LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { requestBy, paid, refused, Tenant, codeOf } from "../../../test/ledger/requests.ts";
import { until } from "../../../test/stack/until.ts";
import { proveBooks } from "../audit/verify-book.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import { closePeriod } from "../posting/store/accounting-periods.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;

const { units } = await openLedgerOfFile();
beforeEach(async () => {
  ({ tenant, payroll, savings } = await Tenant.withAccounts(units));
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("a manual transaction", () => {
  it("is posted at once, and is read back as it was created", async () => {
    const made = await tenant.moves(
      [
        ["Payroll", "Debit", 500],
        [savings, "Credit", 300],
        [savings, "Credit", 200],
      ],
      { externalId: "fee-1", metadata: { team: "ops" } },
    );
    expect(made).toEqual({
      id: expect.stringMatching(/^lt_/),
      status: "Posted",
      description: "By hand",
      currency: "USD",
      entries: [
        { ledgerAccountId: payroll, ledgerAccountName: "Payroll", direction: "Debit", amountCents: 500 },
        { ledgerAccountId: savings, ledgerAccountName: "Savings", direction: "Credit", amountCents: 300 },
        { ledgerAccountId: savings, ledgerAccountName: "Savings", direction: "Credit", amountCents: 200 },
      ],
      basis: "Actual",
      effectiveAt: time,
      externalId: "fee-1",
      metadata: { team: "ops" },
      owner: null,
      reversedAt: null,
      journals: [
        { sequence: 1, kind: "Post", description: null, effectiveAt: made.effectiveAt, createdAt: time },
      ],
      createdAt: made.journals[0]?.createdAt,
    });
    expect(await tenant.transaction(made.id)).toEqual(made);
    expect(await tenant.balanceOf(payroll)).toEqual([-500, 0, 0, -500]);
    expect(await tenant.balanceOf(savings)).toEqual([500, 0, 0, 500]);
  });

  it("is refused a hold beyond what an account that refuses overdraft has available", async () => {
    const strict = (await tenant.creates("Strict", { overdraft: "Refused" })).id;
    await tenant.moves(paid(payroll, strict, 700));
    const hold = (cents: number) => tenant.moves(paid(strict, savings, cents), { status: "Pending" });
    await hold(600);
    expect(await tenant.codeBy(() => hold(101))).toBe("insufficient_funds");
    await hold(100);
    expect(await tenant.balanceOf(strict)).toEqual([700, 700, 0, 0]);
  });

  it("has at most a hundred entries, all of which move money", async () => {
    const entries = Array.from(
      { length: 100 },
      (_, index) => [index < 50 ? payroll : savings, index < 50 ? "Debit" : "Credit", 3] as const,
    );
    const { id } = await tenant.moves(entries, { status: "Pending" });
    expect((await tenant.posts(id)).entries).toHaveLength(100);
    await tenant.reverses(id);
    expect(await tenant.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    await expect(tenant.moves([...entries, [payroll, "Debit", 1]])).rejects.toMatchObject({
      name: "ZodError",
    });
  });
});

// Each has its code, and writes nothing.
describe("a refused transaction", () => {
  const debit = (account: string, cents: number) => [account, "Debit", cents] as const;
  const credit = (account: string, cents: number) => [account, "Credit", cents] as const;
  const balanced = paid("Payroll", "Savings", 5);
  it.each<[string, string, ...Parameters<Tenant["moves"]>]>([
    ["unbalanced", "unbalanced_transaction", [debit("Payroll", 5), credit("Savings", 4)]],
    ["one-sided", "unbalanced_transaction", [debit("Payroll", 5), debit("Savings", 5)]],
    ["unbalanced on nothing", "unbalanced_transaction", [debit("Payroll", 5), credit("Nobody's", 4)]],
    ["in another currency", "currency_mismatch", balanced, { currency: "EUR" }],
    ["on an account that is not there", "ledger_account_not_found", paid("Payroll", newId("la"), 5)],
    ["on a name that is not there", "ledger_account_not_found", paid("Payroll", "savings", 5)],
    ["on the chart", "system_account_not_postable", paid("Payroll", "Settlement cash", 5)],
    ["posted on demo data", "basis_is_demo_data", balanced, { basis: "Demo" }],
    ["posted without an input", "basis_missing_input", balanced, { basis: "Missing" }],
  ])("that is %s, posted or pending", async (_what, code, entries, more = {}) => {
    for (const status of code.startsWith("basis") ? ["Posted"] : ["Posted", "Pending"]) {
      const act = () => tenant.moves(entries, { status, ...more });
      expect(await tenant.codeBy(act)).toBe(code);
    }
  });

  it("points at the entries that it is refused for", async () => {
    const strict = await tenant.creates("Reserve", { overdraft: "Refused" });
    await tenant.moves(paid("Payroll", "Reserve", 3));
    const cash = chartAccountId(tenant.book, "SettlementCash");
    const [short, own] = ["insufficient_funds", "system_account_not_postable"];
    expect(
      await tenant.refusalBy(() =>
        tenant.moves([debit("Reserve", 2), debit(strict.id, 3), credit("Payroll", 5)]),
      ),
    ).toMatchObject({
      errors: [
        { pointer: "/entries/0/ledgerAccountName", code: short },
        { pointer: "/entries/1/ledgerAccountId", code: short },
      ],
      context: { resourceId: strict.id, availableBalanceCents: 3 },
    });
    expect(await tenant.refusalBy(() => tenant.moves(paid("Payroll", cash, 5)))).toMatchObject({
      errors: [{ pointer: "/entries/1/ledgerAccountId", code: own }],
      context: { resourceId: cash },
    });
    expect(
      await tenant.refusalBy(() => tenant.moves([debit("Payroll", 5), credit("Savings", 4)])),
    ).toMatchObject({ errors: [{ pointer: "/entries", code: "unbalanced_transaction" }] });
  });

  it("that names a system account by its id", async () => {
    const cash = chartAccountId(tenant.book, "SettlementCash");
    expect(await tenant.codeBy(() => tenant.moves(paid(cash, payroll, 5)))).toBe(
      "system_account_not_postable",
    );
  });

  it("of a tenant that has no book yet", async () => {
    const nobody = new Tenant(units);
    expect(await codeOf(nobody.moves(paid(payroll, savings, 500)))).toBe("ledger_account_not_found");
    expect(await codeOf(nobody.posts(newId("lt")))).toBe("not_found");
    expect((await nobody.transactions()).data).toEqual([]);
  });

  it("that uses another's externalId, later or at the same time", async () => {
    await tenant.moves(paid(payroll, savings, 500), { externalId: "fee-1" });
    expect(
      await tenant.codeBy(() => tenant.moves(paid(payroll, savings, 500), { externalId: "fee-1" })),
    ).toBe("external_id_in_use");
    const both = await Promise.allSettled(
      [1, 2].map(() => tenant.moves(paid(payroll, savings, 500), { externalId: "fee-2" })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const other = new Tenant(units);
    const theirs = [await other.creates("Mine"), await other.creates("Yours")];
    await other.moves(paid(theirs[0]!.id, theirs[1]!.id, 5), { externalId: "fee-1" });
    expect((await tenant.transactions({ externalId: "fee-1" })).data).toHaveLength(1);
  });
});

/** Five cents from Payroll to Savings. */
const creates = (by: Tenant, more: object = {}, key?: string, fingerprint?: string) =>
  by.moves(paid("Payroll", "Savings", 5), more, requestBy(by.id, key, fingerprint));
const resultOf = (answer: PromiseSettledResult<LedgerTransaction>) =>
  answer.status === "fulfilled" ? "done" : (answer.reason as Refusal).code;

describe("transactions that are created at once", () => {
  it("are all created except the refused ones, each of which gets its own error", async () => {
    const bodies = [
      ...Array.from({ length: 20 }, (_, index) => ({ externalId: `batch-${String(index)}` })),
      { externalId: "batch-7" },
      { currency: "EUR" },
      { basis: "Demo" },
      { effectiveAt: "2020-01-02T00:00:00Z" },
      { effectiveAt: new Date().toISOString() },
    ];
    const answers = await Promise.allSettled(
      bodies.map((more, index) => creates(tenant, more, `key-${String(index)}`)),
    );
    expect(answers.map(resultOf)).toEqual([
      ...Array.from({ length: 20 }, () => "done"),
      "external_id_in_use",
      "currency_mismatch",
      "basis_is_demo_data",
      "effective_date_invalid",
      "done",
    ]);
    expect(await tenant.balanceOf(savings)).toEqual([105, 0, 0, 105]);
    expect((await tenant.transactions({ limit: 100 })).data).toHaveLength(21);
    // Each key has its own answer: a repeat gets the stored answer, and a refused request may be sent corrected.
    const again = await Promise.all(
      bodies.slice(0, 20).map((more, index) => creates(tenant, more, `key-${String(index)}`)),
    );
    expect(again).toEqual(
      answers.slice(0, 20).map((each) => (each.status === "fulfilled" ? each.value : each)),
    );
    expect(await creates(tenant, {}, "key-21")).toMatchObject({ status: "Posted" });
  });

  it("are one transaction under one Idempotency-Key, which refuses another request", async () => {
    const again = [1, 2, 3].map(() => creates(tenant, {}, "key-0"));
    const other = creates(tenant, {}, "key-0", "other").catch((error: unknown) => error);
    expect(new Set((await Promise.all(again)).map(({ id }) => id)).size).toBe(1);
    expect(await other).toMatchObject(refused("idempotency_key_reused"));
    expect(await tenant.balanceOf(savings)).toEqual([5, 0, 0, 5]);
  });

  it("are written in one batch, in the order of their requests", async () => {
    const made = await Promise.all([1, 2, 3].map(() => creates(tenant)));
    const { data } = await tenant.transactions({ limit: 100 });
    expect(data.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
    const checkpoints = await units.database.sql<{ first_seq: bigint; last_seq: bigint }>(
      "select first_seq, last_seq from checkpoint where book_id = $1",
      [uuidOf(tenant.book)],
    );
    expect(checkpoints).toEqual([{ first_seq: 1n, last_seq: 3n }]);
  });
});

describe("while another transaction locks the book's head", () => {
  const isWaiting = async () => {
    const rows = await units.database.sql(
      `select from pg_stat_activity
       where wait_event_type = 'Lock' and query like '%lock_books%' and datname = current_database()`,
    );
    return rows.length > 0 ? true : undefined;
  };

  it("a transaction without a date waits, and takes effect after a period that closes in the meantime", async () => {
    let created: Promise<LedgerTransaction> | undefined;
    const end = await units.database.transaction(async ({ sql }) => {
      await lockBooks(sql, [tenant.book]);
      created = creates(tenant);
      await until("it waits for the head", isWaiting);
      const now = new Date();
      await closePeriod(sql, tenant.book, now, "reconciled");
      return now;
    });
    const effectiveAt = new Date((await created)?.effectiveAt ?? 0);
    expect(effectiveAt.getTime()).toBeGreaterThanOrEqual(end.getTime());
  });

  it("transactions of other books continue", async () => {
    const other = new Tenant(units);
    await other.creates("Payroll");
    await other.creates("Savings");
    let waiting: Promise<LedgerTransaction> | undefined;
    await units.database.transaction(async ({ sql }) => {
      await lockBooks(sql, [tenant.book]);
      waiting = creates(tenant);
      await until("it waits for the head", isWaiting);
      expect(await creates(other)).toMatchObject({ status: "Posted" });
    });
    expect(await waiting).toMatchObject({ status: "Posted" });
  });
});

it("leaves every book sound", async () => {
  const proofs = await units.database.transaction(({ sql }) => proveBooks(sql));
  expect(proofs.flatMap(({ violations }) => violations)).toEqual([]);
  expect(proofs.length).toBeGreaterThan(5);
});
