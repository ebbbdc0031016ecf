import { beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { requestBy, paid, refused, Tenant, codeOf } from "../../../test/ledger/requests.ts";
import { refusalOf, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import { holdOf, lateReturnOf, releaseOf, settlementOf } from "../../../test/ledger/commands.ts";

let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
const world = await openLedgerOfFile();
beforeEach(async () => {
  ({ tenant, payroll, savings } = await Tenant.withAccounts(world.units));
});

const closeRefusal = async () => {
  const refusal = await tenant.refusalBy(() => tenant.closes(payroll));
  expect(refusal).toMatchObject(refused("invalid_state_transition"));
  return refusal.message;
};

describe("closing an account", () => {
  it("can't be undone: the account can be read, but accepts no more postings", async () => {
    const closed = await tenant.closes(payroll);
    expect(closed).toMatchObject({ id: payroll, status: "Closed", closedAt: expect.stringMatching(/Z$/) });
    expect(await tenant.reading.get({ id: payroll }, requestBy(tenant.id))).toEqual(closed);
    const taken = () => tenant.moves(paid(payroll, savings, 5));
    expect(await tenant.codeBy(taken)).toBe("ledger_account_closed");
    const held = () => tenant.moves(paid(savings, payroll, 5), { status: "Pending" });
    expect(await tenant.codeBy(held)).toBe("ledger_account_closed");
    const [outcome] = await tenant.writes(holdOf(newId("po"), payroll, 5));
    expect(outcome).toMatchObject({ result: "Refused", code: "ledger_account_closed" });
    expect(await closeRefusal()).toBe("The account is already closed and can't be opened again.");
    expect(await codeOf(tenant.creates("Payroll"))).toBe("name_taken");
  });

  it("is refused while anything is posted, held or expected, and names the amounts", async () => {
    const funded = await tenant.moves(paid(savings, payroll, 700));
    expect(await closeRefusal()).toBe("The account has 700 cents posted. Bring its balances to zero first.");
    await tenant.reverses(funded.id);
    const order = newId("po");
    await tenant.writes(holdOf(order, payroll, 30));
    expect(await closeRefusal()).toBe("The account has 30 cents pending. Bring its balances to zero first.");
    await tenant.writes(releaseOf(order));
    const { id } = await tenant.moves(paid(savings, payroll, 20), { status: "Pending" });
    expect(await closeRefusal()).toBe(
      "The account has 20 cents pending inbound. Bring its balances to zero first.",
    );
    await tenant.voids(id);
    expect(await tenant.closes(payroll)).toMatchObject({ status: "Closed" });
  });

  it("happens once per Idempotency-Key, and only for the account's own tenant", async () => {
    const other = new Tenant(world.units);
    await other.creates("Theirs");
    expect(await codeOf(other.closes(payroll))).toBe("not_found");
    expect(await codeOf(tenant.closes("Payroll"))).toBe("not_found");
    const context = requestBy(tenant.id, "close-1");
    expect(await tenant.closes(payroll, context)).toEqual(await tenant.closes(payroll, context));
  });

  it("is refused for system accounts", async () => {
    const cash = chartAccountId(tenant.book, "SettlementCash");
    expect(await tenant.codeBy(() => tenant.closes(cash))).toBe("system_account_not_postable");
  });

  it("refuses later reversals, and books a later return to Suspense", async () => {
    const there = await tenant.moves(paid(savings, payroll, 40));
    const order = newId("po");
    await tenant.writes(holdOf(order, payroll, 40), settlementOf(order));
    await tenant.closes(payroll);
    expect(await tenant.codeBy(() => tenant.reverses(there.id))).toBe("ledger_account_closed");
    await tenant.writes(lateReturnOf(order));
    expect(await tenant.balanceOf(payroll)).toEqual([0, 0, 0, 0]);
    expect(await tenant.balanceOf(chartAccountId(tenant.book, "Suspense"))).toEqual([40, 0, 0, 40]);
  });

  it("at the same time as a hold: one of the two is refused", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await tenant.creates(`Race ${String(round)}`);
      const [closed, held] = await Promise.allSettled([
        tenant.closes(id),
        tenant.moves(paid(id, savings, 5), { status: "Pending" }),
      ]);
      expect([closed.status, held.status].toSorted()).toEqual(["fulfilled", "rejected"]);
      const [, pending] = await tenant.balanceOf(id);
      expect(pending).toBe(held.status === "fulfilled" ? 5 : 0);
    }
  });
});

describe("Postgres by itself", () => {
  const close = (id: string, at = "now()") =>
    refusalOf(
      world.superuser,
      `update account set closed_at = ${at} where account_id = '${uuidOf(id as LedgerAccountId)}'`,
    );

  it("refuses to close an account with money or a system account, and to reopen one", async () => {
    await tenant.moves(paid(savings, payroll, 5));
    expect(await close(payroll)).toBe("LG012 account_closes_empty");
    expect(await close(chartAccountId(tenant.book, "SettlementCash"))).toBe("LG012 account_closes_empty");
    const { id } = await tenant.creates("Year 2025");
    expect(await close(id)).toBe("nobody refused it");
    expect(await close(id, "null")).toBe("LG001 account_identity");
  });

  it("refuses changes of transaction details, journal notes and closed periods", async () => {
    const { id } = await tenant.moves(paid(savings, payroll, 5));
    await tenant.reverses(id, "Twice");
    await world.units.database.sql(
      "insert into closed_period (book_id, closed_through, reason) values ($1, '2026-03-01', 'reconciled')",
      [uuidOf(tenant.book)],
    );
    for (const table of ["transaction_detail", "journal_note", "closed_period"]) {
      for (const attack of [
        `update ${table} set book_id = book_id`,
        `delete from ${table}`,
        `truncate ${table}`,
      ]) {
        expect(await refusalOf(world.service, attack), attack).toBe("42501");
        expect(await refusalOf(world.superuser, attack), attack).toBe("LG001 append_only");
      }
    }
  });
});
