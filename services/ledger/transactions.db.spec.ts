import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../contracts/ids.ts";
import { asked, refused, Tenant } from "../../test/ledger/requests.ts";
import { createDatabase, type TestDatabase } from "../../test/stack/database.ts";
import { openUnits, type TestUnits } from "../../test/stack/units.ts";
import { proveBooks } from "./prove-books.ts";
import { holdOf, lateReturnOf, settlementOf } from "./sample-commands.ts";

let database: TestDatabase;
let units: TestUnits;
let tenant: Tenant;
let payroll: string;
let savings: string;

beforeAll(async () => {
  database = await createDatabase("ledger");
  units = await openUnits(database.urlOf("ledger"));
});
afterAll(async () => {
  const proofs = await units.database.transaction(({ sql }) => proveBooks(sql));
  await units.close();
  await database.drop();
  expect(proofs.flatMap(({ faults }) => faults)).toEqual([]);
});
beforeEach(async () => {
  tenant = new Tenant(units);
  payroll = (await tenant.creates("Payroll")).id;
  savings = (await tenant.creates("Savings")).id;
});

const five = () =>
  [
    [payroll, "Debit", 500],
    [savings, "Credit", 500],
  ] as const;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** How many journals, outcomes and words the tenant's book has: a refusal leaves them as they were. */
async function written(): Promise<unknown> {
  return units.database.sql(
    `select (select last_seq from book_head where book_id = $1) as journals,
       (select count(*) from command where book_id = $1) as commands,
       (select count(*) from transaction_detail where book_id = $1) as details,
       (select count(*) from idempotency where book_id = $1) as answers`,
    [uuidOf(tenant.book)],
  );
}

async function refusedWithNothingWritten(act: () => Promise<unknown>, refusal: object): Promise<void> {
  const before = await written();
  await expect(act()).rejects.toMatchObject(refusal);
  expect(await written()).toEqual(before);
}

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
    const { id } = await tenant.moves(five(), { status: "Pending" });
    expect(await tenant.balanceOf(payroll)).toEqual([0, 500, 0, -500]);
    expect(await tenant.balanceOf(savings)).toEqual([0, 0, 500, 0]);
    expect(await tenant.transaction(id)).toMatchObject({ status: "Pending", reversedAt: null });
    await refusedWithNothingWritten(() => tenant.reverses(id), {
      ...refused("invalid_state_transition"),
      context: { currentStatus: "Pending", allowedStatuses: ["Posted"] },
    });

    expect(await tenant.posts(id)).toMatchObject({ id, status: "Posted" });
    expect(await tenant.balanceOf(payroll)).toEqual([-500, 0, 0, -500]);
    expect(await tenant.balanceOf(savings)).toEqual([500, 0, 0, 500]);
    for (const again of [() => tenant.posts(id), () => tenant.voids(id)]) {
      await refusedWithNothingWritten(again, {
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
    await refusedWithNothingWritten(() => tenant.reverses(id), {
      ...refused("already_reversed"),
      context: { reversedAt: reversed.reversedAt },
    });
  });

  it("gives what it held back when it is voided, and ends there", async () => {
    const { id } = await tenant.moves(five(), { status: "Pending" });
    expect(await tenant.voids(id)).toMatchObject({ status: "Voided", reversedAt: null });
    expect(await tenant.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    for (const act of [() => tenant.posts(id), () => tenant.voids(id), () => tenant.reverses(id)]) {
      await refusedWithNothingWritten(act, refused("invalid_state_transition"));
    }
  });

  it("may use Debit-normal accounts, held and posted", async () => {
    const tools = (await tenant.creates("Tools", { normalBalance: "Debit", overdraft: "Refused" })).id;
    await tenant.moves([
      [tools, "Debit", 900],
      [savings, "Credit", 900],
    ]);
    const { id } = await tenant.moves(
      [
        [tools, "Credit", 400],
        [savings, "Debit", 400],
      ],
      { status: "Pending" },
    );
    expect(await tenant.balanceOf(tools)).toEqual([900, 400, 0, 500]);
    await refusedWithNothingWritten(
      () =>
        tenant.moves([
          [tools, "Credit", 501],
          [savings, "Debit", 501],
        ]),
      refused("insufficient_funds"),
    );
    await tenant.posts(id);
    expect(await tenant.balanceOf(tools)).toEqual([500, 0, 0, 500]);
  });

  it("holds nothing that an account with refused overdraft can't cover", async () => {
    const strict = (await tenant.creates("Strict", { overdraft: "Refused" })).id;
    await tenant.moves([
      [payroll, "Debit", 700],
      [strict, "Credit", 700],
    ]);
    const hold = (cents: number) =>
      tenant.moves(
        [
          [strict, "Debit", cents],
          [savings, "Credit", cents],
        ],
        { status: "Pending" },
      );
    await hold(600);
    await refusedWithNothingWritten(() => hold(101), refused("insufficient_funds"));
    await hold(100);
    expect(await tenant.balanceOf(strict)).toEqual([700, 700, 0, 0]);
  });

  it("is reversed below zero too: a correction is no payment", async () => {
    const strict = (await tenant.creates("Strict", { overdraft: "Refused" })).id;
    const paid = await tenant.moves([
      [payroll, "Debit", 700],
      [strict, "Credit", 700],
    ]);
    await tenant.moves([
      [strict, "Debit", 700],
      [savings, "Credit", 700],
    ]);
    await tenant.reverses(paid.id);
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

describe("what a manual transaction can't be", () => {
  it.each<[string, (t: { payroll: string; savings: string }) => Parameters<Tenant["moves"]>, string]>([
    [
      "unbalanced",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          [t.savings, "Credit", 4],
        ],
      ],
      "unbalanced_transaction",
    ],
    [
      "one-sided",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          [t.savings, "Debit", 5],
        ],
      ],
      "unbalanced_transaction",
    ],
    [
      "unbalanced, with an account that is not there",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          ["Nobody's", "Credit", 4],
        ],
      ],
      "unbalanced_transaction",
    ],
    [
      "in another currency",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          [t.savings, "Credit", 5],
        ],
        { currency: "EUR" },
      ],
      "currency_mismatch",
    ],
    [
      "on an account that is not there",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          [newId("la"), "Credit", 5],
        ],
      ],
      "ledger_account_not_found",
    ],
    [
      "on a name that is not there",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          ["savings", "Credit", 5],
        ],
      ],
      "ledger_account_not_found",
    ],
    [
      "on the chart",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          ["Settlement cash", "Credit", 5],
        ],
      ],
      "system_account_not_postable",
    ],
    [
      "posted on demo data",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          [t.savings, "Credit", 5],
        ],
        { basis: "Demo" },
      ],
      "basis_is_demo_data",
    ],
    [
      "posted without an input",
      (t) => [
        [
          [t.payroll, "Debit", 5],
          [t.savings, "Credit", 5],
        ],
        { basis: "Missing" },
      ],
      "basis_missing_input",
    ],
  ])("%s", async (_what, make, code) => {
    await refusedWithNothingWritten(() => tenant.moves(...make({ payroll, savings })), refused(code));
  });

  it("on another book's account, by id or by name", async () => {
    const other = new Tenant(units);
    const theirs = await other.creates("Theirs");
    for (const account of [theirs.id, "Theirs"]) {
      await refusedWithNothingWritten(
        () =>
          tenant.moves([
            [payroll, "Debit", 5],
            [account, "Credit", 5],
          ]),
        refused("ledger_account_not_found"),
      );
    }
    const { id } = await tenant.moves(five(), { status: "Pending", externalId: "shared" });
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
    await expect(nobody.moves(five())).rejects.toMatchObject(refused("ledger_account_not_found"));
    await expect(nobody.posts(newId("lt"))).rejects.toMatchObject(refused("not_found"));
    expect((await nobody.transactions()).data).toEqual([]);
  });

  it("a second one of the same externalId, by then or at once", async () => {
    await tenant.moves(five(), { externalId: "fee-1" });
    await refusedWithNothingWritten(
      () => tenant.moves(five(), { externalId: "fee-1" }),
      refused("external_id_in_use"),
    );
    const both = await Promise.allSettled([1, 2].map(() => tenant.moves(five(), { externalId: "fee-2" })));
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const other = new Tenant(units);
    const theirs = [await other.creates("Mine"), await other.creates("Yours")];
    await other.moves(
      [
        [theirs[0]!.id, "Debit", 5],
        [theirs[1]!.id, "Credit", 5],
      ],
      { externalId: "fee-1" },
    );
    expect((await tenant.transactions({ externalId: "fee-1" })).data).toHaveLength(1);
  });

  it("done twice under one Idempotency-Key", async () => {
    const ask = asked(tenant.id, "key-1");
    const first = await tenant.moves(five(), {}, ask);
    expect(await tenant.moves(five(), {}, ask)).toEqual(first);
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
    const { id } = await tenant.moves(five(), { status: "Pending", basis });
    expect(await tenant.transaction(id)).toMatchObject({ status: "Pending", basis });
    await refusedWithNothingWritten(() => tenant.posts(id), refused(code));
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
    expect(await tenant.moves(five(), { effectiveAt })).toMatchObject({ effectiveAt });
  });

  it.each([
    ["in the future", () => inMinutes(6)],
    ["before the book began", () => inMinutes(-1)],
    ["of another age", () => "0001-01-01T00:00:00Z"],
  ])("can't be %s", async (_when, at) => {
    await refusedWithNothingWritten(
      () => tenant.moves(five(), { effectiveAt: at() }),
      refused("effective_date_invalid"),
    );
  });

  it("can't be in a closed period, at its last instant neither", async () => {
    const { createdAt } = await tenant.creates("Later");
    await closes(createdAt);
    await refusedWithNothingWritten(
      () => tenant.moves(five(), { effectiveAt: createdAt }),
      refused("effective_date_invalid"),
    );
    await tenant.moves(five());
  });

  it("that a closed period has overtaken lets nothing be posted, only voided", async () => {
    const { id, effectiveAt } = await tenant.moves(five(), { status: "Pending" });
    await closes(effectiveAt);
    await refusedWithNothingWritten(() => tenant.posts(id), refused("effective_date_invalid"));
    await tenant.voids(id);
  });
});

describe("an order's transaction", () => {
  let order: PaymentOrderId;
  beforeEach(async () => {
    order = newId("po");
    await tenant.writes(holdOf(order, payroll as `la_${string}`, 500), settlementOf(order));
  });

  it("is read as its own, and moves by its order alone", async () => {
    const id = `lt_${order.slice(3)}`;
    const owner = { kind: "PaymentOrder", id: order };
    expect(await tenant.transaction(id)).toMatchObject({
      id,
      status: "Posted",
      owner,
      description: null,
      basis: null,
      entries: [
        { ledgerAccountName: "Payroll", direction: "Debit", amountCents: 500 },
        { ledgerAccountName: "Settlement cash", direction: "Credit", amountCents: 500 },
      ],
    });
    for (const act of [() => tenant.posts(id), () => tenant.voids(id), () => tenant.reverses(id)]) {
      await refusedWithNothingWritten(act, {
        ...refused("transaction_owned"),
        message: expect.stringContaining(order),
        context: { owner },
      });
    }
  });

  it("shows when it came back", async () => {
    await tenant.writes(lateReturnOf(order));
    const returned = await tenant.transaction(`lt_${order.slice(3)}`);
    expect(returned.journals.map(({ kind }) => kind)).toEqual(["Hold", "Settle", "LateReturn"]);
    expect(returned.reversedAt).toBe(returned.journals[2]?.createdAt);
  });
});

describe("the list of transactions", () => {
  it("goes from the newest on, page by page, whoever they belong to", async () => {
    const first = await tenant.moves(five());
    const second = await tenant.moves(five(), { status: "Pending" });
    await tenant.posts(second.id);
    const order = newId("po");
    await tenant.writes(holdOf(order, payroll as `la_${string}`, 1));
    const page = await tenant.transactions({ limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([`lt_${order.slice(3)}`, second.id]);
    expect(page.hasMore).toBe(true);
    const rest = await tenant.transactions({ limit: 2, cursor: page.nextCursor });
    expect(rest).toEqual({ data: [await tenant.transaction(first.id)], hasMore: false, nextCursor: null });
    await expect(
      tenant.transactions({ limit: 2, cursor: page.nextCursor, ledgerAccountId: payroll }),
    ).rejects.toMatchObject(refused("cursor_filter_mismatch"));
  });

  it("by account has each once, however many of its lines are on it", async () => {
    const other = (await tenant.creates("Other")).id;
    const [a, b] = [
      await tenant.moves([
        [other, "Debit", 5],
        [other, "Credit", 2],
        [savings, "Credit", 3],
      ]),
      await tenant.moves([
        [other, "Debit", 5],
        [savings, "Credit", 5],
      ]),
    ];
    await tenant.moves(five());
    await tenant.reverses(a.id);
    const page = await tenant.transactions({ ledgerAccountId: other, limit: 1 });
    expect(page.data.map(({ id }) => id)).toEqual([b.id]);
    const rest = await tenant.transactions({ ledgerAccountId: other, limit: 1, cursor: page.nextCursor });
    expect(rest.data.map(({ id }) => id)).toEqual([a.id]);
    expect(rest.hasMore).toBe(false);
  });

  it("by time has those that were written from then on, and before", async () => {
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push(await tenant.moves(five()));
    const ids = made.map(({ id }) => id);
    const [, second, , fourth] = made.map(({ createdAt }) => createdAt);
    // Some may share a millisecond: what the filters say of them is what their times say.
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

  it("by externalId has that one, where it fits the other filters", async () => {
    const { id, createdAt } = await tenant.moves(five(), { externalId: "fee-1" });
    const found = async (query: object) =>
      (await tenant.transactions({ externalId: "fee-1", ...query })).data.map((each) => each.id);
    expect(await found({})).toEqual([id]);
    expect(await found({ ledgerAccountId: payroll })).toEqual([id]);
    expect(await found({ ledgerAccountId: newId("la") })).toEqual([]);
    expect(await found({ "createdAt[lt]": createdAt })).toEqual([]);
  });
});
