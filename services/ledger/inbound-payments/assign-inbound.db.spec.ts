import { beforeEach, describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { codeOf, refused } from "../../../test/ledger/requests.ts";

let acme: Depositor;
const ledger = await openLedgerOfFile();
beforeEach(async () => {
  acme = await Depositor.of(ledger);
});

const journals = async () => {
  const { rows } = await ledger.superuser.query<{ kind: string }>(
    "select kind from journal where book_id = $1 order by seq",
    [uuidOf(acme.tenant.book)],
  );
  return rows.map(({ kind }) => kind);
};

describe("an assignment", () => {
  beforeEach(() => acme.receives(acme.sent("12345678901234567", "W1")));

  it("moves the money out of Suspense by a journal of its own, once", async () => {
    const lost = await acme.theOnlyOne();
    const found = await acme.assign(lost, "Deposits");
    expect(found).toMatchObject({
      id: lost.id,
      status: "Assigned",
      reason: "UnknownNumber",
      ledgerTransactionId: lost.ledgerTransactionId,
      assignment: { assignedBy: "maker", ledgerAccountId: found.ledgerAccountId },
    });
    expect(found.assignment?.ledgerTransactionId).not.toBe(lost.ledgerTransactionId);
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Suspense: 0, Deposits: 120_000 });
    expect(await journals()).toEqual(["Inbound", "Assign"]);
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
    await expect(acme.assign(lost, "Deposits")).rejects.toMatchObject({
      ...refused("invalid_state_transition"),
      context: { currentStatus: "Assigned", allowedStatuses: ["Suspended"] },
    });
    await acme.receives(acme.sent("12345678901234567", "W1"));
    expect(await journals()).toEqual(["Inbound", "Assign"]);
  });

  it("happens once when two are sent at once, and a repeat gets the first answer", async () => {
    const lost = await acme.theOnlyOne();
    const tries = await Promise.allSettled([
      acme.assign(lost, "Deposits", "k1"),
      acme.assign(lost, "Deposits", "k2"),
    ]);
    expect(tries.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await journals()).toEqual(["Inbound", "Assign"]);
    const won = tries[0].status === "fulfilled" ? "k1" : "k2";
    expect(await acme.assign(lost, "Deposits", won)).toMatchObject({ status: "Assigned" });
    expect(await journals()).toEqual(["Inbound", "Assign"]);
  });

  it.each([
    ["of the chart", "Settlement cash", "system_account_not_postable"],
    ["that is not there", "Nowhere", "ledger_account_not_found"],
    ["that is Debit-normal", "Advances", "invalid_field"],
    ["that is closed", "Old", "ledger_account_closed"],
  ])("to an account %s is refused, and nothing is written", async (_what, name, code) => {
    await acme.tenant.creates("Advances", { normalBalance: "Debit" });
    await acme.tenant.creates("Old");
    await acme.closesLedgerAccount("Old");
    const lost = await acme.theOnlyOne();
    expect(await codeOf(acme.assign(lost, name))).toBe(code);
    expect(await acme.theOnlyOne()).toEqual(lost);
    expect(await journals()).toEqual(["Inbound"]);
  });

  it("of an attributed, returned or foreign payment is refused", async () => {
    const lost = await acme.theOnlyOne();
    const { accountNumber } = await acme.aNumber();
    await acme.receives(
      acme.sent(accountNumber, "W2"),
      acme.sent(accountNumber, "D1", { rail: "Ach", direction: "Debit" }),
    );
    for (const bankReference of ["W2", "D1"]) {
      const [payment] = await acme.received({ bankReference });
      if (payment === undefined) throw new Error(`${bankReference} is not there`);
      expect(await codeOf(acme.assign(payment, "Deposits"))).toBe("invalid_state_transition");
    }
    const stranger = await Depositor.of(ledger);
    expect(await codeOf(stranger.assign(lost, "Deposits"))).toBe("not_found");
    expect(await codeOf(stranger.payments.get({ id: lost.id }, stranger.context))).toBe("not_found");
    expect(await stranger.received()).toEqual([]);
  });
});
