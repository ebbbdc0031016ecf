import { beforeEach, describe, expect, it } from "vitest";
import type { InboundPayment } from "../../../contracts/http/ledger/inbound-payments.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { codeOf, refused } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { freeze } from "../audit/freeze-book.handler.ts";
import { ApplyPolicy } from "../transactions/apply-policy.handler.ts";

let acme: Depositor;
let lost: InboundPayment;
let deposits: string;
const ledger = await openLedgerOfFile();
const { units } = ledger.units;
const applies = (version: number, approvalRequired: boolean, thresholdCents: number) =>
  new ApplyPolicy(units).apply({ version, approvalRequired, thresholdCents }, acme.context);
beforeEach(async () => {
  acme = await Depositor.of(ledger);
  deposits = (await acme.tenant.creates("Other")).id;
  await acme.receives(acme.sent("12345678901234567", "W1"));
  lost = await acme.theOnlyOne();
});

describe("an assignment above the threshold, where the policy requires approvals of transactions", () => {
  beforeEach(() => applies(1, true, 119_999));

  it("is proposed, and moves nothing", async () => {
    const proposed = await acme.assignsAs("maya", lost, "Other");
    expect(proposed).toEqual({
      ...lost,
      proposedAssignment: { ledgerAccountId: deposits, proposedBy: "maya", proposedAt: expect.any(String) },
    });
    expect(await acme.theOnlyOne()).toEqual(proposed);
    expect(await acme.received({ status: "Suspended" })).toEqual([proposed]);
    expect(await acme.posted()).toMatchObject({ Suspense: 120_000 });
  });

  it("is made by another principal with orders:approve who names the same account, and by nobody else", async () => {
    await acme.assignsAs("maya", lost, "Other");
    for (const same of ["maya", "m\u0430ya"]) {
      await expect(acme.assignsAs(same, lost, "Other")).rejects.toMatchObject(
        refused("self_approval_not_allowed"),
      );
    }
    await expect(acme.assignsAs("ben", lost, "Other", false)).rejects.toMatchObject({
      ...refused("insufficient_scope"),
      context: { requiredScope: "orders:approve" },
    });
    expect(await acme.posted()).toMatchObject({ Suspense: 120_000 });
    expect(await acme.assignsAs("ben", lost, "Other")).toMatchObject({
      status: "Assigned",
      ledgerAccountId: deposits,
      proposedAssignment: { ledgerAccountId: deposits, proposedBy: "maya" },
      assignment: { ledgerAccountId: deposits, assignedBy: "ben" },
    });
    expect(await acme.posted()).toMatchObject({ Suspense: 0, Other: 120_000 });
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
    expect(await codeOf(acme.assignsAs("maya", lost, "Other"))).toBe("invalid_state_transition");
  });

  it("is made by somebody who may only approve, if another principal has proposed exactly this", async () => {
    const approves = (principal: string, account: string) =>
      acme.assignsAs(principal, lost, account, true, false);
    const needsWrite = { ...refused("insufficient_scope"), context: { requiredScope: "ledger:write" } };
    await expect(approves("noor", "Other")).rejects.toMatchObject(needsWrite);
    await acme.assignsAs("maya", lost, "Other");
    await expect(approves("noor", "Deposits")).rejects.toMatchObject(needsWrite);
    await expect(approves("m\u0430ya", "Other")).rejects.toMatchObject(needsWrite);
    expect(await acme.theOnlyOne()).toMatchObject({ proposedAssignment: { proposedBy: "maya" } });
    expect(await approves("noor", "Other")).toMatchObject({
      status: "Assigned",
      assignment: { assignedBy: "noor" },
    });
  });

  it("to another account is another proposal, whoever makes it", async () => {
    await acme.assignsAs("maya", lost, "Other");
    expect(await acme.assignsAs("ben", lost, "Deposits")).toMatchObject({
      status: "Suspended",
      proposedAssignment: { proposedBy: "ben" },
    });
    expect(await codeOf(acme.assignsAs("ben", lost, "Deposits"))).toBe("self_approval_not_allowed");
    expect(await acme.assignsAs("maya", lost, "Deposits")).toMatchObject({ status: "Assigned" });
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Suspense: 0, Deposits: 120_000 });
  });

  it("is not proposed to an account that can't get it, nor in a frozen book", async () => {
    expect(await codeOf(acme.assignsAs("maya", lost, "Settlement cash"))).toBe("system_account_not_postable");
    await units.run((unit) => freeze(unit, acme.tenant.book, { reason: "a drill", actor: "test" }));
    expect(await codeOf(acme.assignsAs("maya", lost, "Other"))).toBe("service_unavailable");
    expect(await acme.theOnlyOne()).toEqual(lost);
  });

  it("that was proposed is made alone once the policy allows it, to any account", async () => {
    await acme.assignsAs("maya", lost, "Other");
    await applies(2, false, 0);
    expect(await acme.assignsAs("maya", lost, "Deposits", false)).toMatchObject({
      status: "Assigned",
      proposedAssignment: null,
      assignment: { assignedBy: "maya" },
    });
  });

  it("leaves everything else of the payment as it is, also if somebody sends SQL", async () => {
    await acme.assignsAs("maya", lost, "Other");
    for (const change of ["assigned_by = 'maya'", "amount_cents = 5", "reason = 'BalanceOutOfRange'"]) {
      await expect(
        ledger.superuser.query(`update inbound_payment set ${change} where inbound_payment_id = $1`, [
          uuidOf(lost.id as `ip_${string}`),
        ]),
      ).rejects.toMatchObject({ constraint: "inbound_payment_identity" });
    }
  });
});

it("up to the threshold, one person assigns alone, but nobody who may only approve", async () => {
  await applies(1, true, 120_000);
  expect(await codeOf(acme.assignsAs("noor", lost, "Other", true, false))).toBe("insufficient_scope");
  expect(await acme.assignsAs("maya", lost, "Other", false)).toMatchObject({
    status: "Assigned",
    proposedAssignment: null,
  });
});
