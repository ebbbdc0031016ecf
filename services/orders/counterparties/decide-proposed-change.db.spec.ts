import { describe, expect, it } from "vitest";
import { SubmitOrder } from "../../../contracts/messages/orders.ts";
import { account, CounterpartiesOnTest } from "../../../test/stack/orders/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { longAgo, ProposedChangesOnTest } from "../../../test/stack/orders/proposed-changes.ts";
import { expectRefusal, refused } from "../../../test/stack/refusals.ts";

const orders = new OrdersOnTest();
const counterparties = new CounterpartiesOnTest(orders);
const changes = new ProposedChangesOnTest(orders);

const routing = { routingNumber: "790001102" };

describe("accepting a proposed change", () => {
  it.each([
    ["C01", { accountNumber: "111222333444" }, { accountNumber: "****3444" }],
    ["C02", routing, routing],
    ["C03", { ...routing, accountNumber: "111222333444" }, { ...routing, accountNumber: "****3444" }],
    ["C05", { transactionCode: "32" }, { accountType: "Savings" }],
    [
      "C06",
      { accountNumber: "111222333444", transactionCode: "37" },
      { accountNumber: "****3444", accountType: "Savings" },
    ],
    [
      "C07",
      { ...routing, accountNumber: "111222333444", transactionCode: "22" },
      { ...routing, accountNumber: "****3444", accountType: "Checking" },
    ],
  ])("%s corrects the account, as an edit of whoever accepts", async (code, correction, expected) => {
    const before = await counterparties.verified();
    const { accountNumber, ...plain } = correction as { accountNumber?: string };
    const encrypted = accountNumber === undefined ? {} : { accountNumber: orders.encrypt(accountNumber) };
    const order = await changes.pay(before.id);
    await changes.corrects(order.id, code, { ...plain, ...encrypted });
    const value = await changes.accept(before.id, (await changes.only(before.id)).id);
    expect(value).toMatchObject({
      name: before.name,
      version: before.version + 1,
      verificationStatus: "Unverified",
      accounts: [{ rail: "Ach", accountNumber: "****4444", routingNumber: "021000021", ...expected }],
    });
    expect(await changes.only(before.id)).toMatchObject({ status: "Accepted", decidedBy: "maker" });
    expect(await orders.read(order.id)).toMatchObject({ counterpartyAccountNumber: "****4444" });
    expect(await refused(counterparties.verify(before.id, "maker"))).toBe("self_approval_not_allowed");
    expect(await counterparties.verify(before.id)).toMatchObject({ verificationStatus: "Verified" });
  });

  it("C04 corrects the name", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C04", { name: "Blue Freight LLC" });
    const value = await changes.accept(id, (await changes.only(id)).id);
    expect(value).toMatchObject({ name: "Blue Freight LLC", verificationStatus: "Unverified" });
  });

  it("C09 changes no detail: no rail sends an individual id", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C09", { individualId: "EMP-17" });
    const value = await changes.accept(id, (await changes.only(id)).id);
    expect(value.verificationStatus).toBe("Verified");
    expect(await changes.only(id)).toMatchObject({ status: "Accepted" });
  });

  it("needs the version of If-Match, if it is sent", async () => {
    const { id, version } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", routing);
    const change = await changes.only(id);
    expect(await refused(changes.accept(id, change.id, { ifMatch: [version - 1] }))).toBe(
      "precondition_failed",
    );
    expect((await changes.accept(id, change.id, { ifMatch: [version] })).version).toBe(version + 1);
  });

  it("is done once: the same key gets the same answer, another is refused", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", routing);
    const change = await changes.only(id);
    const first = await changes.accept(id, change.id, { key: "once" });
    expect(await changes.accept(id, change.id, { key: "once" })).toEqual(first);
    await expectRefusal(changes.accept(id, change.id), "invalid_state_transition", {
      context: { resourceId: change.id, currentStatus: "Accepted", allowedStatuses: ["Open"] },
    });
    expect(await refused(changes.dismiss(id, change.id))).toBe("invalid_state_transition");
  });

  it("is refused with a routing number that is none, and a dismissal clears it", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", { routingNumber: "790001103" });
    const change = await changes.only(id);
    expect(await refused(changes.accept(id, change.id))).toContain("invalid_routing_number");
    expect(await changes.only(id)).toMatchObject({ status: "Open" });
    expect(await changes.dismiss(id, change.id)).toMatchObject({ status: "Dismissed", decidedBy: "maker" });
    expect(await refused(changes.accept(id, change.id))).toBe("invalid_state_transition");
  });

  it("leaves other proposals open, unless they correct the same field", async () => {
    const { id } = await counterparties.verified();
    const order = await changes.pay(id);
    const number = (digits: string) => ({ accountNumber: orders.encrypt(digits) });
    await changes.corrects(order.id, "C01", number("111222333444"));
    await changes.corrects(order.id, "C02", routing);
    await changes.corrects(order.id, "C01", number("555666777888"));
    const newest = (await changes.list(id))[0];
    await changes.accept(id, String(newest?.id));
    expect((await changes.list(id)).map(({ code, status }) => [code, status])).toEqual([
      ["C01", "Accepted"],
      ["C02", "Open"],
      ["C01", "Superseded"],
    ]);
  });
});

describe("an edit of a counterparty", () => {
  it.each([
    ["replaces the account", { accounts: [account("999888777666")] }],
    ["removes the account", { accounts: [] }],
  ])("that %s supersedes the proposal, which overwrites nothing then", async (_what, change) => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", routing, longAgo);
    const edited = await counterparties.replace(id, change);
    const found = await changes.only(id);
    expect(found).toMatchObject({ status: "Superseded", decidedBy: "maker" });
    expect(await refused(changes.accept(id, found.id))).toBe("invalid_state_transition");
    expect(await counterparties.read(id)).toEqual(edited);
  });

  it("that leaves the account as it is leaves the proposal open", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", routing);
    await counterparties.replace(id, { name: "Blue Freight Inc", email: "a@b.example" });
    expect(await changes.only(id)).toMatchObject({ status: "Open", decidedBy: null });
  });

  it("of one of two accounts leaves the proposal to the other", async () => {
    const number = "4111222233334444";
    const both = [account(number), account(number, { rail: "SameDayAch" })];
    const { id } = await counterparties.verified({ accounts: both });
    await changes.corrects((await changes.pay(id)).id, "C02", routing);
    await counterparties.replace(id, {
      accounts: [account("999888777666"), account(number, { rail: "SameDayAch" })],
    });
    const change = await changes.only(id);
    expect(change).toMatchObject({ status: "Open", rails: ["SameDayAch"] });
    const value = await changes.accept(id, change.id);
    expect(value.accounts.map(({ routingNumber }) => routingNumber)).toEqual(["021000021", "790001102"]);
  });

  it("supersedes the proposal of a name if it changes the name", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C04", { name: "Blue Freight LLC" });
    await counterparties.replace(id, { name: "Red Freight" });
    expect(await changes.only(id)).toMatchObject({ status: "Superseded" });
  });
});

describe("a new order to a counterparty with an open proposal", () => {
  it("is refused once six banking days have passed, as is a Draft at its submission", async () => {
    const { id } = await counterparties.verified({
      accounts: [account("4111222233334444"), account("4111222233334444", { rail: "Rtp" })],
    });
    const draft = await changes.pay(id, { submit: false });
    const early = await changes.pay(id);
    await changes.corrects(early.id, "C02", routing, longAgo);
    const change = await changes.only(id);
    const context = {
      resourceId: id,
      proposedChangeId: change.id,
      correctBy: "2026-01-14T05:00:00.000Z",
    };
    await expectRefusal(changes.pay(id), "counterparty_change_pending", { context });
    await expectRefusal(orders.request(SubmitOrder, { id: draft.id }), "counterparty_change_pending", {
      context,
    });
    expect(await changes.pay(id, { rail: "Rtp" })).toMatchObject({ status: "Submitted" });
    expect(await changes.pay(id, { submit: false })).toMatchObject({ status: "Draft" });
    await orders.holdPlaced(early.id);
    await orders.untilPhase(early.id, "HandingOff");
    await changes.dismiss(id, change.id);
    expect(await changes.pay(id)).toMatchObject({ status: "Submitted" });
    expect((await orders.request(SubmitOrder, { id: draft.id })).value.status).toBe("Submitted");
  });

  it("is taken while there is time to correct it", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", routing);
    expect(await changes.pay(id)).toMatchObject({ status: "Submitted" });
  });

  it("has the corrected data after it is accepted and verified", async () => {
    const { id } = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", routing, longAgo);
    await changes.accept(id, (await changes.only(id)).id);
    expect(await refused(changes.pay(id))).toContain("counterparty_unverified");
    await counterparties.verify(id);
    expect(await changes.pay(id)).toMatchObject({ counterpartyRoutingNumber: "790001102" });
  });
});
