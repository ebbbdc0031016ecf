import { describe, expect, it } from "vitest";
import type { Refusal } from "../../../contracts/errors.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { idOf, newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { SubmitOrder, UpdateOrder } from "../../../contracts/messages/orders.ts";
import { account, CounterpartiesOnTest } from "../../../test/stack/orders/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refused } from "../../../test/stack/refusals.ts";
import { someTerms } from "../../../test/stack/orders/payment-order.ts";
import { lookUpCounterparties } from "./counterparty-lookup.ts";

const orders = new OrdersOnTest();
const counterparties = new CounterpartiesOnTest(orders);

/** No details of its own: they are copied from the counterparty. */
const noDetails = {
  counterpartyName: undefined,
  counterpartyAccountNumber: undefined,
  counterpartyRoutingNumber: undefined,
};
type Create = typeof orders.create;
const pay = (counterpartyId: string, change: Parameters<Create>[0] = {}, by: Parameters<Create>[1] = {}) =>
  orders.create({ ...noDetails, counterpartyId, ...change }, by);
const submit = async (id: string) => (await orders.request(SubmitOrder, { id })).value;
type Patch = Omit<Parameters<typeof orders.request<typeof UpdateOrder>>[1], "id">;
const patch = async (id: string, change: Patch) =>
  (await orders.request(UpdateOrder, { id, ...change })).value;
const rowsOfOrders = async () => (await orders.sql("select 1 from payment_order")).length;

/** The decrypted account number that the rail would receive. */
async function digitsOf({ id }: PaymentOrder): Promise<string> {
  const [row] = await orders.sql<{ account: Parameters<typeof orders.decrypt>[0] }>(
    "select counterparty_account as account from payment_order where id = $1",
    [uuidOf(id)],
  );
  if (row === undefined) throw new Error(`no order ${id}`);
  return orders.decrypt(row.account);
}

describe("an order by counterpartyId", () => {
  it("copies name, account and routing number of its rail", async () => {
    const rtp = account("998877665544", { rail: "Rtp", routingNumber: "021000089" });
    const counterparty = await counterparties.verified({ accounts: [account("12345"), rtp] });
    const order = await pay(counterparty.id, { rail: "Rtp" });
    expect(order).toMatchObject({
      status: "Submitted",
      counterpartyId: counterparty.id,
      counterpartyName: "Blue Freight",
      counterpartyAccountNumber: "****5544",
      counterpartyRoutingNumber: "021000089",
    });
    expect(order).toEqual(await orders.read(order.id));
    expect(await digitsOf(order)).toBe("998877665544");
  });

  it("goes to its rail with the copied details", async () => {
    const counterparty = await counterparties.verified();
    const order = await pay(counterparty.id);
    await orders.holdPlaced(order.id);
    await orders.untilPhase(order.id, "HandingOff");
    const [instruction] = await orders.published(order.id, SubmitInstruction);
    expect(instruction?.data).toMatchObject({
      counterpartyName: "Blue Freight",
      counterpartyAccountNumber: { last4: "4444" },
      counterpartyRoutingNumber: "021000021",
    });
  });

  it.each(["counterpartyName", "counterpartyAccountNumber", "counterpartyRoutingNumber"] as const)(
    "has no %s of its own",
    async (field) => {
      const counterparty = await counterparties.verified();
      const own = { [field]: field === "counterpartyAccountNumber" ? orders.encrypt("12345") : "021000021" };
      expect(await refused(pay(counterparty.id, own))).toBe(`invalid_field /${field}`);
    },
  );

  it("is refused, even as a Draft, if the counterparty has no account on its rail", async () => {
    const counterparty = await counterparties.verified();
    for (const rail of ["Rtp", "Usdc", "Book"] as const) {
      await expectRefusal(pay(counterparty.id, { rail, submit: false }), "counterparty_account_missing", {
        errors: [{ pointer: "/counterpartyId" }],
        context: { resourceId: counterparty.id, rail },
      });
    }
  });

  it("is refused for another book's counterparty like for one that does not exist", async () => {
    const theirs = await counterparties.create({}, { caller: orders.stranger() });
    const before = await rowsOfOrders();
    for (const id of [theirs.id, newId("cp"), newId("la"), "cp_nonsense", "nobody"]) {
      expect(await refused(pay(id))).toBe("not_found /counterpartyId");
    }
    expect(await rowsOfOrders()).toBe(before);
  });

  it("stays a Draft while the counterparty is unverified, and can't be submitted", async () => {
    const counterparty = await counterparties.create();
    await expectRefusal(pay(counterparty.id), "counterparty_unverified", {
      errors: [{ pointer: "/counterpartyId" }],
      context: { resourceId: counterparty.id, verificationStatus: "Unverified" },
    });
    const draft = await pay(counterparty.id, { submit: false });
    expect(draft).toMatchObject({ status: "Draft", counterpartyAccountNumber: "****4444" });
    expect(await refused(submit(draft.id))).toBe("counterparty_unverified /counterpartyId");
    await counterparties.verify(counterparty.id);
    expect(await submit(draft.id)).toMatchObject({ status: "Submitted" });
  });

  it("can't be submitted to a counterparty whose verification failed", async () => {
    const counterparty = await counterparties.verified({ accounts: [account("500000")] });
    await expectRefusal(pay(counterparty.id), "counterparty_unverified", {
      context: { verificationStatus: "Failed" },
    });
  });

  it("shares a batch with others: each is accepted or refused by itself", async () => {
    const [counterparty, unverified] = await Promise.all([
      counterparties.verified(),
      counterparties.create(),
    ]);
    const stranger = orders.stranger();
    const answers = await Promise.allSettled([
      pay(counterparty.id),
      orders.create(),
      pay(unverified.id),
      pay(counterparty.id, {}, { caller: stranger }),
      pay(newId("cp")),
      pay(counterparty.id, { amountCents: 7 }),
    ]);
    expect(
      answers.map((answer) => (answer.status === "fulfilled" ? "paid" : (answer.reason as Refusal).code)),
    ).toEqual(["paid", "paid", "counterparty_unverified", "not_found", "not_found", "paid"]);
  });

  it("does not find a counterparty that another order of the batch names in another book", async () => {
    const { id } = await counterparties.create();
    const terms = someTerms({ counterpartyId: id });
    const ours = { book: orders.caller().book, terms };
    const theirs = { book: orders.stranger().book, terms };
    const counterpartyOf = await lookUpCounterparties(
      (text, params) => orders.sql(text, params),
      [theirs, ours],
    );
    expect(counterpartyOf(ours)).toMatchObject({ id, name: "Blue Freight" });
    expect(() => counterpartyOf(theirs)).toThrow("There is no counterparty with this id in this book.");
  });

  it("is replayed under its key, whatever the counterparty has become", async () => {
    const counterparty = await counterparties.verified();
    const order = await pay(counterparty.id, {}, { key: "pay-once" });
    await counterparties.replace(counterparty.id, { accounts: [] });
    expect(await pay(counterparty.id, {}, { key: "pay-once" })).toEqual(order);
  });
});

describe("an edit of the counterparty", () => {
  const edit = { name: "Red Freight", accounts: [account("5566778899", { routingNumber: "021000089" })] };

  it("does not change submitted orders", async () => {
    const counterparty = await counterparties.verified();
    const order = await pay(counterparty.id);
    await counterparties.replace(counterparty.id, edit);
    expect(await orders.read(order.id)).toEqual(order);
    expect(await digitsOf(order)).toBe("4111222233334444");
    // The gate finds the terms unchanged.
    await orders.holdPlaced(order.id);
    await orders.untilPhase(order.id, "HandingOff");
  });

  it("reaches a Draft at its submission: it pays the details that were verified", async () => {
    const counterparty = await counterparties.verified();
    const draft = await pay(counterparty.id, { submit: false });
    await counterparties.replace(counterparty.id, edit, { caller: orders.caller("editor") });
    expect(await refused(submit(draft.id))).toBe("counterparty_unverified /counterpartyId");
    expect(await orders.read(draft.id)).toEqual(draft);
    await counterparties.verify(counterparty.id);
    const submitted = await submit(draft.id);
    expect(submitted).toMatchObject({
      status: "Submitted",
      counterpartyName: "Red Freight",
      counterpartyAccountNumber: "****8899",
      counterpartyRoutingNumber: "021000089",
    });
    expect(submitted).toEqual(await orders.read(draft.id));
    expect(await digitsOf(submitted)).toBe("5566778899");
    await orders.holdPlaced(submitted.id);
    await orders.untilPhase(submitted.id, "HandingOff");
  });

  it("that removes the rail's account causes the Draft's submission to be refused", async () => {
    const counterparty = await counterparties.verified();
    const draft = await pay(counterparty.id, { submit: false });
    await counterparties.replace(counterparty.id, { accounts: [account("12345", { rail: "Wire" })] });
    await counterparties.verify(counterparty.id);
    expect(await refused(submit(draft.id))).toBe("counterparty_account_missing /counterpartyId");
  });
});

describe("a Draft", () => {
  it("can change to a counterparty, to another of its rails, and back to inline details", async () => {
    const accounts = [account("12345"), account("67890", { rail: "Rtp" })];
    const counterparty = await counterparties.verified({ name: "Green Freight", accounts });
    const { id } = await orders.create({ submit: false });
    expect(await patch(id, { counterpartyId: counterparty.id })).toMatchObject({
      counterpartyId: counterparty.id,
      counterpartyName: "Green Freight",
      counterpartyAccountNumber: "****2345",
    });
    expect(await patch(id, { rail: "Rtp" })).toMatchObject({ counterpartyAccountNumber: "****7890" });
    expect(await refused(patch(id, { rail: "Wire" }))).toBe("counterparty_account_missing /counterpartyId");
    expect(await refused(patch(id, { counterpartyId: newId("cp") }))).toBe("not_found /counterpartyId");
    const own = { counterpartyName: "Own", counterpartyAccountNumber: orders.encrypt("99887766") };
    expect(await patch(id, { counterpartyId: null, ...own })).toMatchObject({
      counterpartyId: null,
      counterpartyName: "Own",
      counterpartyAccountNumber: "****7766",
      counterpartyRoutingNumber: null,
    });
  });
});

describe("the database", () => {
  it("refuses to change the counterparty of a submitted order", async () => {
    const order = await pay((await counterparties.verified()).id);
    const set = (id: PaymentOrderId) =>
      orders.sql("update payment_order set counterparty_id = $2 where id = $1", [
        uuidOf(id),
        uuidOf(idOf("cp", "019c0000-0000-7000-8000-000000000009")),
      ]);
    await expect(set(order.id)).rejects.toThrow("its terms can't change");
  });

  it("refuses a verifier who entered the details", async () => {
    const { id } = await counterparties.create();
    const forged = orders.sql(
      "update counterparty set verification_status = 'Verified', verified_by = 'maker', verified_at = now() where id = $1",
      [uuidOf(id)],
    );
    await expect(forged).rejects.toThrow("counterparty_verified_by_somebody_else");
  });
});
