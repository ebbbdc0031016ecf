import { beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, uuidOf } from "../../../contracts/ids/ids.ts";
import { postingOf } from "../../../test/ledger/commands.ts";
import { requestBy, paid, refused, Tenant, codeOf } from "../../../test/ledger/requests.ts";
import { proveBooks } from "../audit/verify-book.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;

const { units } = await openLedgerOfFile();
beforeEach(async () => {
  ({ tenant, payroll, savings } = await Tenant.withAccounts(units));
});

describe("a manual transaction", () => {
  it("is held while Pending, then posted once and reversed once", async () => {
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

  it("releases its hold when it is voided, and takes no further step", async () => {
    const { id } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    expect(await tenant.voids(id)).toMatchObject({ status: "Voided", reversedAt: null });
    expect(await tenant.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    for (const act of [() => tenant.posts(id), () => tenant.voids(id), () => tenant.reverses(id)]) {
      expect(await tenant.codeBy(act)).toBe("invalid_state_transition");
    }
  });

  it("may use Debit-normal accounts, held and posted", async () => {
    const tools = (await tenant.creates("Tools", { normalBalance: "Debit", overdraft: "Refused" })).id;
    await tenant.moves(paid(tools, savings, 900));
    const { id } = await tenant.moves(paid(savings, tools, 400), { status: "Pending" });
    expect(await tenant.balanceOf(tools)).toEqual([900, 400, 0, 500]);
    expect(await tenant.codeBy(() => tenant.moves(paid(savings, tools, 501)))).toBe("insufficient_funds");
    await tenant.posts(id);
    expect(await tenant.balanceOf(tools)).toEqual([500, 0, 0, 500]);
  });

  it("may be reversed below zero: a correction is not a payment", async () => {
    const strict = (await tenant.creates("Strict", { overdraft: "Refused" })).id;
    const first = await tenant.moves(paid(payroll, strict, 700));
    await tenant.moves(paid(strict, savings, 700));
    await tenant.reverses(first.id);
    expect(await tenant.balanceOf(strict)).toEqual([-700, 0, 0, -700]);
  });

  it("is refused if a balance would leave its range, also by a reversal", async () => {
    const largest = 9_007_199_254_740_991;
    const back = await tenant.moves(paid(savings, payroll, 1_001));
    await tenant.writes(postingOf([payroll, "Debit", largest], [savings, "Credit", largest]));
    await tenant.moves(paid(payroll, savings, 1));
    for (const act of [
      () => tenant.moves(paid(payroll, savings, 1_001)),
      () => tenant.moves(paid(payroll, savings, 1_001), { status: "Pending" }),
      () => tenant.reverses(back.id),
    ]) {
      expect(await tenant.codeBy(act)).toBe("balance_out_of_range");
    }
    await tenant.moves(paid(payroll, savings, 1_000));
    expect(await tenant.balanceOf(savings)).toEqual([largest, 0, 0, largest]);
  });

  it("is not there for another book, which can't name its accounts either", async () => {
    const other = new Tenant(units);
    const theirs = await other.creates("Theirs");
    for (const account of [theirs.id, "Theirs"]) {
      expect(await tenant.codeBy(() => tenant.moves(paid(payroll, account, 5)))).toBe(
        "ledger_account_not_found",
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
      expect(await codeOf(act())).toBe("not_found");
    }
    expect((await other.transactions({ externalId: "shared" })).data).toEqual([]);
    expect((await other.transactions({ ledgerAccountId: payroll })).data).toEqual([]);
  });

  it("is created once and reversed once under one Idempotency-Key each", async () => {
    const context = requestBy(tenant.id, "key-1");
    const first = await tenant.moves(paid(payroll, savings, 500), {}, context);
    expect(await tenant.moves(paid(payroll, savings, 500), {}, context)).toEqual(first);
    expect(await tenant.balanceOf(payroll)).toEqual([-500, 0, 0, -500]);
    const reversing = requestBy(tenant.id, "key-2");
    const reversed = await tenant.reverses(first.id, undefined, reversing);
    expect(await tenant.reverses(first.id, undefined, reversing)).toEqual(reversed);
  });
});

describe("a figure that is not real", () => {
  it.each([
    ["Demo", "basis_is_demo_data"],
    ["Missing", "basis_missing_input"],
  ])("(%s) may stay Pending or be voided, but not posted", async (basis, code) => {
    const { id } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending", basis });
    expect(await tenant.transaction(id)).toMatchObject({ status: "Pending", basis });
    expect(await tenant.codeBy(() => tenant.posts(id))).toBe(code);
    await tenant.voids(id);
    expect(await codeOf(tenant.posts(id))).toBe("invalid_state_transition");
  });
});

describe("an effective date", () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const closes = (through: string) =>
    units.database.sql(
      "insert into closed_period (book_id, closed_through, reason) values ($1, $2, 'reconciled')",
      [uuidOf(tenant.book), through],
    );

  it("may be up to five minutes ahead, because clocks differ", async () => {
    const effectiveAt = inMinutes(4);
    expect(await tenant.moves(paid(payroll, savings, 500), { effectiveAt })).toMatchObject({ effectiveAt });
  });

  it("ahead of now also dates its void or reversal, so that no day ends below zero", async () => {
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
  ])("must not be %s", async (_when, at) => {
    expect(await tenant.codeBy(() => tenant.moves(paid(payroll, savings, 500), { effectiveAt: at() }))).toBe(
      "effective_date_invalid",
    );
  });

  it("must not be in a closed period, whose last instant is included", async () => {
    const { createdAt } = await tenant.creates("Later");
    await closes(createdAt);
    expect(
      await tenant.codeBy(() => tenant.moves(paid(payroll, savings, 500), { effectiveAt: createdAt })),
    ).toBe("effective_date_invalid");
    await tenant.moves(paid(payroll, savings, 500));
  });

  it("of a hold whose period has closed must be replaced by a later one to post it", async () => {
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

  it("of a posting must not be before its hold", async () => {
    const { id, effectiveAt } = await tenant.moves(paid(payroll, savings, 500), { status: "Pending" });
    const earlier = new Date(Date.parse(effectiveAt) - 1).toISOString();
    expect(await tenant.refusalBy(() => tenant.posts(id, earlier))).toMatchObject({
      ...refused("effective_date_invalid"),
      message: expect.stringContaining(effectiveAt),
    });
    expect(await tenant.posts(id)).toMatchObject({ effectiveAt });
  });
});

it("leaves every book sound", async () => {
  const proofs = await units.database.transaction(({ sql }) => proveBooks(sql));
  expect(proofs.flatMap(({ violations }) => violations)).toEqual([]);
  expect(proofs.length).toBeGreaterThan(5);
});
