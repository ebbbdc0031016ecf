import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { paid, refused, Tenant } from "../../../test/ledger/requests.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/units.ts";
import { proveBooks } from "../audit/verify-book.ts";

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

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("a manual transaction", () => {
  it("posts at once, and is read as it was written", async () => {
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

  it("waits as Pending, is posted once, and reversed once", async () => {
    const { id } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    expect(await tenant.balanceOf(payroll)).toEqual([0, 500, 0, -500]);
    expect(await tenant.balanceOf(savings)).toEqual([0, 0, 500, 0]);
    expect(await tenant.transaction(id)).toMatchObject({ status: "Pending", reversedAt: null });
    expect(await tenant.refusalBy(() => tenant.reverses(id))).toMatchObject({
      ...refused("invalid_state_transition"),
      context: { currentStatus: "Pending", allowedStatuses: ["Posted"] },
    });

    expect(await tenant.posts(id)).toMatchObject({ id, status: "Posted" });
    expect(await tenant.balanceOf(payroll)).toEqual([-500, 0, 0, -500]);
    expect(await tenant.balanceOf(savings)).toEqual([500, 0, 0, 500]);
    for (const again of [() => tenant.posts(id), () => tenant.voids(id)]) {
      expect(await tenant.refusalBy(again)).toMatchObject({
        ...refused("invalid_state_transition"),
        context: { currentStatus: "Posted", allowedStatuses: ["Pending"] },
      });
    }

    const reversed = await tenant.reverses(id, "Charged twice");
    expect(reversed).toMatchObject({ id, status: "Posted", reversedAt: reversed.journals[2]?.createdAt });
    expect(reversed.journals.map(({ sequence, kind, description }) => [sequence, kind, description])).toEqual(
      [
        [1, "Hold", null],
        [2, "Settle", null],
        [3, "Reverse", "Charged twice"],
      ],
    );
    expect(await tenant.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    expect(await tenant.refusalBy(() => tenant.reverses(id))).toMatchObject({
      ...refused("already_reversed"),
      context: { resourceId: id },
    });
  });

  it("gives what it held back when it is voided, and ends there", async () => {
    const { id } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    expect(await tenant.voids(id)).toMatchObject({ status: "Voided", reversedAt: null });
    expect(await tenant.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    for (const act of [() => tenant.posts(id), () => tenant.voids(id), () => tenant.reverses(id)]) {
      expect(await tenant.refusalBy(act)).toMatchObject(refused("invalid_state_transition"));
    }
  });

  it("may use Debit-normal accounts, held and posted", async () => {
    const tools = (await tenant.creates("Tools", { normalBalance: "Debit", overdraft: "Refused" })).id;
    await tenant.moves(paid(tools, savings, 900));
    const { id } = await tenant.moves(paid(savings, tools, 400), { status: "Pending" });
    expect(await tenant.balanceOf(tools)).toEqual([900, 400, 0, 500]);
    expect(await tenant.refusalBy(() => tenant.moves(paid(savings, tools, 501)))).toMatchObject(
      refused("insufficient_funds"),
    );
    await tenant.posts(id);
    expect(await tenant.balanceOf(tools)).toEqual([500, 0, 0, 500]);
  });

  it("holds nothing that an account with refused overdraft can't cover", async () => {
    const strict = (await tenant.creates("Strict", { overdraft: "Refused" })).id;
    await tenant.moves(paid(payroll, strict, 700));
    const hold = (cents: number) => tenant.moves(paid(strict, savings, cents), { status: "Pending" });
    await hold(600);
    expect(await tenant.refusalBy(() => hold(101))).toMatchObject(refused("insufficient_funds"));
    await hold(100);
    expect(await tenant.balanceOf(strict)).toEqual([700, 700, 0, 0]);
  });

  it("is reversed below zero too: a correction is no payment", async () => {
    const strict = (await tenant.creates("Strict", { overdraft: "Refused" })).id;
    const first = await tenant.moves(paid(payroll, strict, 700));
    await tenant.moves(paid(strict, savings, 700));
    await tenant.reverses(first.id);
    expect(await tenant.balanceOf(strict)).toEqual([-700, 0, 0, -700]);
  });

  it("has a hundred entries at most, and all of them count", async () => {
    const entries = Array.from(
      { length: 100 },
      (_, place) => [place < 50 ? payroll : savings, place < 50 ? "Debit" : "Credit", 3] as const,
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

it("leaves every book proven, whatever was done to it above", async () => {
  const proofs = await units.database.transaction(({ sql }) => proveBooks(sql));
  expect(proofs.flatMap(({ faults }) => faults)).toEqual([]);
  expect(proofs.length).toBeGreaterThan(5);
});
