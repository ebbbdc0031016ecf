import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { VerifyCounterparty } from "../../../contracts/messages/orders.ts";
import {
  account,
  CounterpartiesOnTest,
  type CounterpartyChange,
} from "../../../test/stack/orders/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refused } from "../../../test/stack/refusals.ts";

const orders = new OrdersOnTest();
const counterparties = new CounterpartiesOnTest(orders);

describe("verification", () => {
  it("is given by another principal than the one who entered the details", async () => {
    const { id } = await counterparties.create();
    await expectRefusal(counterparties.verify(id, "maker"), "self_approval_not_allowed", {
      message: "maker entered these details, so another principal must verify the counterparty.",
    });
    expect(await refused(counterparties.verify(id, "m\u0430ker"))).toBe("self_approval_not_allowed");
    expect(await counterparties.verify(id)).toMatchObject({
      verificationStatus: "Verified",
      verifiedBy: "checker",
      verifiedAt: expect.any(String),
      version: 2,
    });
  });

  it("stays unchanged when it is requested again", async () => {
    const { id } = await counterparties.create();
    const verified = await counterparties.verify(id);
    expect(await counterparties.verify(id, "somebody-else")).toEqual(verified);
  });

  it("fails for account number 500000 on any account, and succeeds after a correction", async () => {
    const { id } = await counterparties.create({
      accounts: [account("12345"), account("500000", { rail: "Rtp" })],
    });
    expect(await counterparties.verify(id)).toMatchObject({
      verificationStatus: "Failed",
      verifiedBy: null,
      verifiedAt: null,
    });
    await counterparties.replace(id, {}, { caller: orders.caller("editor") });
    // The first maker's details were never verified, and may still be in it.
    expect(await refused(counterparties.verify(id, "maker"))).toBe("self_approval_not_allowed");
    expect(await refused(counterparties.verify(id, "editor"))).toBe("self_approval_not_allowed");
    expect(await counterparties.verify(id)).toMatchObject({ verificationStatus: "Verified" });
  });

  it.each<[string, CounterpartyChange]>([
    ["another account number", { accounts: [account("99998888777766")] }],
    ["another routing number", { accounts: [account("4111222233334444", { routingNumber: "021000089" })] }],
    ["another rail", { accounts: [account("4111222233334444", { rail: "Rtp" })] }],
    ["an account type", { accounts: [account("4111222233334444", { accountType: "Savings" })] }],
    ["one account more", { accounts: [account("4111222233334444"), account("12345", { rail: "Rtp" })] }],
    ["no account", { accounts: [] }],
    ["another name", { name: "Blue Freight LLC" }],
    ["another type", { type: "Individual" }],
  ])("is reset by %s, and the editor can't verify it", async (_what, change) => {
    const { id } = await counterparties.verified();
    const edited = await counterparties.replace(id, change, { caller: orders.caller("editor") });
    expect(edited).toMatchObject({
      verificationStatus: "Unverified",
      verifiedBy: null,
      verifiedAt: null,
      detailsEnteredBy: ["editor"],
    });
    if (edited.accounts.length === 0) return;
    expect(await refused(counterparties.verify(id, "editor"))).toBe("self_approval_not_allowed");
    // The maker's details were verified before; only the editor's are new.
    expect(await counterparties.verify(id, "maker")).toMatchObject({
      verificationStatus: "Verified",
      verifiedBy: "maker",
    });
  });

  it("is kept after a change of email, externalId, metadata or the order of accounts", async () => {
    const accounts = [account("12345", { rail: "Rtp" }), account("67890", { rail: "Wire" })];
    const { id } = await counterparties.verified({ accounts });
    const kept = { email: "new@b.example", externalId: "moved", metadata: { a: "1" } };
    const change = { ...kept, accounts: accounts.toReversed() };
    expect(await counterparties.replace(id, change, { caller: orders.caller("editor") })).toMatchObject({
      verificationStatus: "Verified",
      verifiedBy: "checker",
      version: 3,
    });
  });

  it("is kept when a name that was stored before names were normalised is sent again", async () => {
    const { id } = await counterparties.verified({ name: "Blue Freight" });
    await orders.sql("update counterparty set name = 'Blue  Freight' where id = $1", [uuidOf(id)]);
    expect(await counterparties.replace(id, { name: "Blue  Freight" })).toMatchObject({
      name: "Blue Freight",
      verificationStatus: "Verified",
    });
  });

  it("with If-Match verifies only the version that was read", async () => {
    const { id } = await counterparties.create();
    await counterparties.replace(id, { accounts: [account("66660000")] });
    expect(await refused(counterparties.verify(id, "checker", { ifMatch: [1] }))).toBe("precondition_failed");
    expect(await counterparties.verify(id, "checker", { ifMatch: [2] })).toMatchObject({
      verificationStatus: "Verified",
    });
  });

  it("needs an account", async () => {
    const { id } = await counterparties.create({ accounts: [] });
    expect(await refused(counterparties.verify(id))).toBe("counterparty_account_missing");
  });

  it("is refused in a Live book, which has no provider", async () => {
    const caller: Caller = { ...orders.caller("maker", newId("ten")), mode: "Live" };
    const { id } = await counterparties.create({}, { caller });
    const checker = { caller: { ...caller, principal: "checker" } };
    expect(await refused(orders.request(VerifyCounterparty, { id }, checker))).toBe("rail_not_configured");
  });
});
