import { beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId } from "../../../contracts/ids/ids.ts";
import { holdOf, lateReturnOf, settlementOf, suspensePostingOf } from "../../../test/ledger/commands.ts";
import { Filer } from "../../../test/ledger/obligations.ts";
import { paid, refused, Tenant, codeOf } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";

let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;

const ledger = await openLedgerOfFile();
const { units } = ledger;
beforeEach(async () => {
  ({ tenant, payroll, savings } = await Tenant.withAccounts(units));
});

describe("the list of transactions", () => {
  it("is newest first, page by page, and includes transactions of other owners", async () => {
    const first = await tenant.moves(paid(payroll, savings, 500));
    const second = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    await tenant.posts(second.id);
    const order = newId("po");
    await tenant.writes(holdOf(order, payroll, 1));
    const page = await tenant.transactions({ limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([`lt_${order.slice(3)}`, second.id]);
    expect(page.hasMore).toBe(true);
    const rest = await tenant.transactions({ limit: 2, cursor: page.nextCursor });
    expect(rest).toEqual({ data: [await tenant.transaction(first.id)], hasMore: false, nextCursor: null });
    expect(
      await codeOf(tenant.transactions({ limit: 2, cursor: page.nextCursor, ledgerAccountId: payroll })),
    ).toBe("cursor_filter_mismatch");
  });

  it("by account has each transaction once, even if several lines are on the account", async () => {
    const other = (await tenant.creates("Other")).id;
    const [a, b] = [
      await tenant.moves([
        [other, "Debit", 5],
        [other, "Credit", 2],
        [savings, "Credit", 3],
      ]),
      await tenant.moves(paid(other, savings, 5)),
    ];
    await tenant.moves(paid(payroll, savings, 500));
    await tenant.reverses(a.id);
    const page = await tenant.transactions({ ledgerAccountId: other, limit: 1 });
    expect(page.data.map(({ id }) => id)).toEqual([b.id]);
    const rest = await tenant.transactions({ ledgerAccountId: other, limit: 1, cursor: page.nextCursor });
    expect(rest.data.map(({ id }) => id)).toEqual([a.id]);
    expect(rest.hasMore).toBe(false);
  });

  it("by time has the transactions recorded from one time until before another", async () => {
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push(await tenant.moves(paid(payroll, savings, 500)));
    const ids = made.map(({ id }) => id);
    const [, second, , fourth] = made.map(({ createdAt }) => createdAt);
    // Some may share a millisecond, so the expected lists are computed from their times.
    const from = made.filter(({ createdAt }) => createdAt >= second!).map(({ id }) => id);
    const between = made
      .filter(({ createdAt }) => createdAt >= second! && createdAt < fourth!)
      .map(({ id }) => id);
    const listed = async (query: object) =>
      (await tenant.transactions(query)).data.map(({ id }) => id).reverse();
    expect(await listed({ "createdAt[gte]": second })).toEqual(from);
    expect(await listed({ "createdAt[gte]": second, "createdAt[lt]": fourth })).toEqual(between);
    expect(
      await listed({ ledgerAccountId: savings, "createdAt[gte]": second, "createdAt[lt]": fourth }),
    ).toEqual(between);
    expect(await listed({ "createdAt[lt]": "2020-01-01T00:00:00Z" })).toEqual([]);
    expect(await listed({ "createdAt[gte]": "9999-01-01T00:00:00Z" })).toEqual([]);
    expect(await listed({ "createdAt[gte]": "0001-01-01T00:00:00Z" })).toEqual(ids);
  });

  it("by several accounts, or externalIds, has each transaction once, page by page", async () => {
    const third = (await tenant.creates("Third")).id;
    const made = [
      await tenant.moves(paid(payroll, savings, 500), { externalId: "a" }),
      await tenant.moves(paid(third, savings, 500), { externalId: "b" }),
      await tenant.moves(paid(payroll, third, 500), { externalId: "c" }),
    ].map(({ id }) => id);
    const pages = async (query: object) => {
      const first = await tenant.transactions({ ...query, limit: 2 });
      const rest = first.hasMore
        ? await tenant.transactions({ ...query, limit: 2, cursor: first.nextCursor })
        : { data: [] };
      return [...first.data, ...rest.data].map(({ id }) => id);
    };
    expect(await pages({ ledgerAccountId: [payroll, savings, third] })).toEqual(made.toReversed());
    expect(await pages({ ledgerAccountId: [payroll, newId("la")] })).toEqual([made[2], made[0]]);
    expect(await pages({ externalId: ["c", "none", "a", "b"] })).toEqual(made.toReversed());
    expect(await pages({ externalId: ["a", "b"], ledgerAccountId: [payroll, newId("la")] })).toEqual([
      made[0],
    ]);
  });

  it("by externalId has that one, if it matches the other filters", async () => {
    const { id, createdAt } = await tenant.moves(paid(payroll, savings, 500), { externalId: "fee-1" });
    const found = async (query: object) =>
      (await tenant.transactions({ externalId: "fee-1", ...query })).data.map((each) => each.id);
    expect(await found({})).toEqual([id]);
    expect(await found({ ledgerAccountId: payroll })).toEqual([id]);
    expect(await found({ ledgerAccountId: newId("la") })).toEqual([]);
    expect(await found({ "createdAt[lt]": createdAt })).toEqual([]);
  });
});

// A transaction with an owner is read like any other; only its owner posts, voids or reverses it.
/** Reads it, and checks that every manual step is refused with its owner. */
async function standsFor(tenant: Tenant, id: string, owner: { kind: string; id: string }) {
  for (const act of [() => tenant.posts(id), () => tenant.voids(id), () => tenant.reverses(id)]) {
    expect(await tenant.refusalBy(act)).toMatchObject({
      ...refused("transaction_owned"),
      message: expect.stringContaining(owner.id),
      context: { owner },
    });
  }
  const read = await tenant.transaction(id);
  expect(read).toMatchObject({ id, owner, description: null, basis: null, externalId: null, metadata: {} });
  expect((await tenant.transactions()).data).toContainEqual(read);
  return read;
}

it("shows an order's transaction with all its steps, and its postings to Suspense", async () => {
  const tenant = new Tenant(units);
  const payroll = (await tenant.creates("Payroll")).id;
  const order = newId("po");
  const owner = { kind: "PaymentOrder", id: order };
  await tenant.writes(holdOf(order, payroll, 500));
  const id = `lt_${order.slice(3)}`;
  expect(await standsFor(tenant, id, owner)).toMatchObject({ status: "Pending" });
  await tenant.writes(settlementOf(order));
  expect(await standsFor(tenant, id, owner)).toMatchObject({
    status: "Posted",
    reversedAt: null,
    entries: [
      { ledgerAccountId: payroll, ledgerAccountName: "Payroll", direction: "Debit", amountCents: 500 },
      { ledgerAccountName: "Settlement cash", direction: "Credit", amountCents: 500 },
    ],
  });
  await tenant.writes(lateReturnOf(order));
  const returned = await standsFor(tenant, id, owner);
  expect(returned.journals.map(({ kind }) => kind)).toEqual(["Hold", "Settle", "LateReturn"]);
  expect(returned.reversedAt).toBe(returned.journals[2]?.createdAt);

  const movement = suspensePostingOf(order, 500, { movement: "Return" });
  await tenant.writes(movement);
  await standsFor(tenant, movement.transactionId, owner);
});

it("shows an obligation's accrual", async () => {
  const filer = await Filer.funded(units);
  const { id } = await filer.creates();
  const fixed = await filer.fixes(id);
  const accrual = await standsFor(filer.tenant, fixed.accruals[0]!.ledgerTransactionId!, {
    kind: "Obligation",
    id,
  });
  expect(accrual.journals.map(({ kind }) => kind)).toEqual(["Accrue"]);
});

it("shows an inbound payment in Suspense, and its assignment", async () => {
  const acme = await Depositor.of(ledger);
  const { tenant } = acme;
  await acme.receives(acme.sent("0000000000", "ref-1"));
  const payment = await acme.theOnlyOne();
  const owner = { kind: "InboundPayment", id: payment.id };
  await standsFor(tenant, payment.ledgerTransactionId!, owner);

  const assigned = await acme.assign(payment, "Deposits");
  const read = await standsFor(tenant, assigned.assignment!.ledgerTransactionId, owner);
  expect(read.journals.map(({ kind }) => kind)).toEqual(["Assign"]);
  expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Suspense: 0, Deposits: 120_000 });
  expect(await tenant.balanceOf(assigned.assignment!.ledgerAccountId)).toEqual([120_000, 0, 0, 120_000]);
});
