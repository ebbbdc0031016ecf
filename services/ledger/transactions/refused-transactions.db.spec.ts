import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { asked, paid, refused, Tenant } from "../../../test/ledger/requests.ts";
import { postingOf } from "../../../test/ledger/commands.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/units.ts";

let units: TestUnits;
let tenant: Tenant;
let payroll: string;
let savings: string;

beforeAll(async () => {
  units = await openFreshUnits("ledger");
});
afterAll(() => units.close());
beforeEach(async () => {
  tenant = new Tenant(units);
  payroll = (await tenant.creates("Payroll")).id;
  savings = (await tenant.creates("Savings")).id;
});

// Each has its code, and nothing of it is written.
describe("what a manual transaction can't be", () => {
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
  ])("%s", async (_what, code, entries, more = {}) => {
    for (const status of code.startsWith("basis") ? ["Posted"] : ["Posted", "Pending"]) {
      const act = () => tenant.moves(entries, { status, ...more });
      expect(await tenant.refusalBy(act)).toMatchObject(refused(code));
    }
  });

  it("is said of the entries that it is for", async () => {
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

  it("on the chart by its id", async () => {
    const cash = chartAccountId(tenant.book, "SettlementCash");
    expect(await tenant.refusalBy(() => tenant.moves(paid(cash, payroll, 5)))).toMatchObject(
      refused("system_account_not_postable"),
    );
  });

  it("beyond what a balance can be, by a reversal neither", async () => {
    const largest = 9_007_199_254_740_991;
    const back = await tenant.moves(paid(savings, payroll, 1_001));
    const accounts = [payroll, savings] as [LedgerAccountId, LedgerAccountId];
    await tenant.writes(postingOf([accounts[0], "Debit", largest], [accounts[1], "Credit", largest]));
    await tenant.moves(paid(payroll, savings, 1));
    for (const act of [
      () => tenant.moves(paid(payroll, savings, 1_001)),
      () => tenant.moves(paid(payroll, savings, 1_001), { status: "Pending" }),
      () => tenant.reverses(back.id),
    ]) {
      expect(await tenant.refusalBy(act)).toMatchObject(refused("balance_out_of_range"));
    }
    await tenant.moves(paid(payroll, savings, 1_000));
    expect(await tenant.balanceOf(savings)).toEqual([largest, 0, 0, largest]);
  });

  it("on another book's account, by id or by name", async () => {
    const other = new Tenant(units);
    const theirs = await other.creates("Theirs");
    for (const account of [theirs.id, "Theirs"]) {
      expect(await tenant.refusalBy(() => tenant.moves(paid(payroll, account, 5)))).toMatchObject(
        refused("ledger_account_not_found"),
      );
    }
    const { id } = await tenant.moves(paid(payroll, savings, 500), {
      status: "Pending",
      externalId: "shared",
    });
    for (const act of [
      () => other.transaction(id),
      () => other.posts(id),
      () => other.voids(id),
      () => other.reverses(id),
    ]) {
      await expect(act()).rejects.toMatchObject(refused("not_found"));
    }
    expect((await other.transactions({ externalId: "shared" })).data).toEqual([]);
    expect((await other.transactions({ ledgerAccountId: payroll })).data).toEqual([]);
  });

  it("in a book that has not begun", async () => {
    const nobody = new Tenant(units);
    await expect(nobody.moves(paid(payroll, savings, 500))).rejects.toMatchObject(
      refused("ledger_account_not_found"),
    );
    await expect(nobody.posts(newId("lt"))).rejects.toMatchObject(refused("not_found"));
    expect((await nobody.transactions()).data).toEqual([]);
  });

  it("a second one of the same externalId, by then or at once", async () => {
    await tenant.moves(paid(payroll, savings, 500), { externalId: "fee-1" });
    expect(
      await tenant.refusalBy(() => tenant.moves(paid(payroll, savings, 500), { externalId: "fee-1" })),
    ).toMatchObject(refused("external_id_in_use"));
    const both = await Promise.allSettled(
      [1, 2].map(() => tenant.moves(paid(payroll, savings, 500), { externalId: "fee-2" })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const other = new Tenant(units);
    const theirs = [await other.creates("Mine"), await other.creates("Yours")];
    await other.moves(paid(theirs[0]!.id, theirs[1]!.id, 5), { externalId: "fee-1" });
    expect((await tenant.transactions({ externalId: "fee-1" })).data).toHaveLength(1);
  });

  it("done twice under one Idempotency-Key", async () => {
    const ask = asked(tenant.id, "key-1");
    const first = await tenant.moves(paid(payroll, savings, 500), {}, ask);
    expect(await tenant.moves(paid(payroll, savings, 500), {}, ask)).toEqual(first);
    expect(await tenant.balanceOf(payroll)).toEqual([-500, 0, 0, -500]);
    const reversing = asked(tenant.id, "key-2");
    const reversed = await tenant.reverses(first.id, undefined, reversing);
    expect(await tenant.reverses(first.id, undefined, reversing)).toEqual(reversed);
  });
});

describe("a figure that is not real", () => {
  it.each([
    ["Demo", "basis_is_demo_data"],
    ["Missing", "basis_missing_input"],
  ])("(%s) rests as Pending, is never posted, and can be voided", async (basis, code) => {
    const { id } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending", basis });
    expect(await tenant.transaction(id)).toMatchObject({ status: "Pending", basis });
    expect(await tenant.refusalBy(() => tenant.posts(id))).toMatchObject(refused(code));
    await tenant.voids(id);
    await expect(tenant.posts(id)).rejects.toMatchObject(refused("invalid_state_transition"));
  });
});

describe("a date of effect", () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const closes = (through: string) =>
    units.database.sql(
      "insert into closed_period (book_id, closed_through, reason) values ($1, $2, 'reconciled')",
      [uuidOf(tenant.book), through],
    );

  it("may be ahead by five minutes, for clocks differ", async () => {
    const effectiveAt = inMinutes(4);
    expect(await tenant.moves(paid(payroll, savings, 500), { effectiveAt })).toMatchObject({ effectiveAt });
  });

  it("of what is ahead is that of its undoing too: no day ends with less than nothing", async () => {
    const effectiveAt = inMinutes(4);
    const held = await tenant.moves(paid(payroll, savings, 500), { status: "Pending", effectiveAt });
    expect((await tenant.voids(held.id)).journals.at(-1)).toMatchObject({ kind: "Release", effectiveAt });
    const posted = await tenant.moves(paid(payroll, savings, 500), { effectiveAt });
    expect((await tenant.reverses(posted.id)).journals.at(-1)).toMatchObject({
      kind: "Reverse",
      effectiveAt,
    });
  });

  it.each([
    ["in the future", () => inMinutes(6)],
    ["before the book began", () => inMinutes(-1)],
    ["of another age", () => "0001-01-01T00:00:00Z"],
  ])("can't be %s", async (_when, at) => {
    expect(
      await tenant.refusalBy(() => tenant.moves(paid(payroll, savings, 500), { effectiveAt: at() })),
    ).toMatchObject(refused("effective_date_invalid"));
  });

  it("can't be in a closed period, at its last instant neither", async () => {
    const { createdAt } = await tenant.creates("Later");
    await closes(createdAt);
    expect(
      await tenant.refusalBy(() => tenant.moves(paid(payroll, savings, 500), { effectiveAt: createdAt })),
    ).toMatchObject(refused("effective_date_invalid"));
    await tenant.moves(paid(payroll, savings, 500));
  });

  it("that a closed period has overtaken lets nothing be posted but at a later one", async () => {
    const { id, effectiveAt } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    await closes(effectiveAt);
    expect(await tenant.refusalBy(() => tenant.posts(id))).toMatchObject({
      ...refused("effective_date_invalid"),
      errors: [{ pointer: "/effectiveAt" }],
    });
    const later = inMinutes(1);
    expect(await tenant.posts(id, later)).toMatchObject({
      status: "Posted",
      effectiveAt: later,
      journals: [{ effectiveAt }, { kind: "Settle", effectiveAt: later }],
    });
  });

  it("of a posting can't be before its hold", async () => {
    const { id, effectiveAt } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    const earlier = new Date(Date.parse(effectiveAt) - 1).toISOString();
    expect(await tenant.refusalBy(() => tenant.posts(id, earlier))).toMatchObject({
      ...refused("effective_date_invalid"),
      message: expect.stringContaining(effectiveAt),
    });
    expect(await tenant.posts(id)).toMatchObject({ effectiveAt });
  });
});
