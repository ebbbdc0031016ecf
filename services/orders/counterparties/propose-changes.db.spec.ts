import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { InstructionReturned, NoticeOfChange } from "../../../contracts/messages/rails.ts";
import { account, CounterpartiesOnTest } from "../../../test/stack/orders/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { longAgo, ProposedChangesOnTest } from "../../../test/stack/orders/proposed-changes.ts";
import { refused } from "../../../test/stack/refusals.ts";
import { createMessage } from "../../platform/messages/message.ts";

const orders = new OrdersOnTest();
const counterparties = new CounterpartiesOnTest(orders);
const changes = new ProposedChangesOnTest(orders);

const routing = { routingNumber: "790001102" };

describe("a notice of change", () => {
  it("is shown by its order, which goes on as before", async () => {
    const order = await orders.createdTo("HandingOff", { rail: "Ach" });
    const before = await orders.read(order);
    const accountNumber = orders.encrypt("111222333444");
    await changes.corrects(order, "C03", { ...routing, accountNumber }, longAgo);
    expect(await changes.shown(order, 1)).toEqual([
      {
        code: "C03",
        correctedData: {
          accountNumber: "****3444",
          routingNumber: "790001102",
          name: null,
          transactionCode: null,
          individualId: null,
        },
        receivedAt: longAgo,
        proposedChangeId: null,
      },
    ]);
    const after = await orders.read(order);
    expect(after).toEqual({
      ...before,
      noticesOfChange: after.noticesOfChange,
      updatedAt: after.updatedAt,
    });
  });

  it("is one notice and one proposal, however often it comes", async () => {
    const { id } = await counterparties.verified();
    const { id: order } = await changes.pay(id);
    const data = changes.notice(order, "C02", routing);
    const message = createMessage(NoticeOfChange, {
      book: orders.caller().book,
      subject: order,
      data,
    });
    const copy = { ...message, id: crypto.randomUUID() };
    for (const each of [message, copy, message]) await orders.apply(each, NoticeOfChange);
    await orders.publishAll(NoticeOfChange, [
      [order, data],
      [order, data],
    ]);
    await changes.corrects(order, "C04", { name: "Blue Freight LLC" });
    expect((await changes.shown(order, 2)).map(({ code }) => code)).toEqual(["C02", "C04"]);
    expect((await changes.list(id)).map(({ code }) => code)).toEqual(["C04", "C02"]);
  });

  it("releases a return that the rail reported after it", async () => {
    const order = await orders.createdTo("HandingOff", { rail: "Ach" });
    await orders.instructionAccepted(order);
    await orders.untilPhase(order, "InFlight");
    const returned = { orderId: order, number: 3, occurredAt: longAgo, code: "R03", traceNumber: "1" };
    await orders.publish(InstructionReturned, order, returned);
    await orders.publish(NoticeOfChange, order, changes.notice(order, "C02", routing, 2));
    await orders.untilPhase(order, "ReleasingAsReturned");
    expect((await orders.read(order)).return).toMatchObject({ code: "R03", late: false });
  });
});

describe("a proposed change", () => {
  it("names what is corrected, masked, and until when to decide", async () => {
    const { id } = await counterparties.verified();
    const order = await changes.pay(id);
    const correctedData = { ...routing, accountNumber: orders.encrypt("111222333444") };
    const notice = await changes.corrects(order.id, "C03", correctedData, "2038-02-11T13:30:00.000Z");
    const change = await changes.only(id);
    expect(change).toEqual({
      id: notice?.proposedChangeId,
      counterpartyId: id,
      paymentOrderId: order.id,
      status: "Open",
      rails: ["Ach"],
      code: "C03",
      correctedData: notice?.correctedData,
      receivedAt: "2038-02-11T13:30:00.000Z",
      // Monday, 15 February, is Washington's birthday: the sixth banking day is Monday, the 22nd.
      correctBy: "2038-02-23T05:00:00.000Z",
      decidedBy: null,
      decidedAt: null,
    });
    const { status: _status, decidedBy: _nobody, decidedAt: _never, ...published } = change;
    const [event] = await changes.events(id);
    expect(event?.data).toEqual({ ...published, mode: "Test" });
    expect(JSON.stringify(event)).not.toContain("ciphertext");
  });

  it("is one for all orders that meet the same correction", async () => {
    const { id } = await counterparties.verified();
    const [one, two] = [await changes.pay(id), await changes.pay(id)];
    const number = () => ({ accountNumber: orders.encrypt("111222333444") });
    const first = await changes.corrects(one.id, "C01", number());
    const second = await changes.corrects(two.id, "C01", number());
    expect(second?.proposedChangeId).toBe(first?.proposedChangeId);
    expect((await changes.only(id)).paymentOrderId).toBe(one.id);
    expect(await changes.events(id)).toHaveLength(1);
  });

  it("is about both ACH rails if both have that account", async () => {
    const number = "4111222233334444";
    const accounts = [
      account(number),
      account(number, { rail: "SameDayAch" }),
      account("776655", { rail: "Rtp" }),
    ];
    const { id } = await counterparties.verified({ accounts });
    await changes.corrects((await changes.pay(id)).id, "C02", routing);
    const change = await changes.only(id);
    expect(change.rails).toEqual(["Ach", "SameDayAch"]);
    const value = await changes.accept(id, change.id);
    expect(value.accounts.map(({ rail, routingNumber }) => [rail, routingNumber])).toEqual([
      ["Ach", "790001102"],
      ["SameDayAch", "790001102"],
      ["Rtp", "021000021"],
    ]);
  });

  it.each([
    ["was replaced since the order", { accounts: [account("999888777666")] }],
    ["has the corrected data already", { accounts: [account("4111222233334444", routing)] }],
  ])("is not made if the account %s", async (_why, change) => {
    const { id } = await counterparties.verified();
    const order = await changes.pay(id);
    await counterparties.replace(id, change);
    expect(await changes.corrects(order.id, "C02", routing)).toMatchObject({ proposedChangeId: null });
    expect(await changes.list(id)).toEqual([]);
  });

  it("is of its book and its counterparty only", async () => {
    const { id } = await counterparties.verified();
    const other = await counterparties.verified();
    await changes.corrects((await changes.pay(id)).id, "C02", routing);
    const change = await changes.only(id);
    expect(await refused(changes.list(id, { caller: orders.stranger() }))).toBe("not_found");
    expect(await refused(changes.list("cp_nobody"))).toBe("not_found");
    expect(await refused(changes.accept(other.id, change.id))).toBe("not_found");
    expect(await refused(changes.dismiss(other.id, change.id))).toBe("not_found");
    expect(await refused(changes.dismiss(id, newId("chg")))).toBe("not_found");
    const by = { caller: orders.stranger() };
    expect(await refused(changes.accept(id, change.id, by))).toBe("not_found");
    expect(await refused(changes.dismiss(id, change.id, by))).toBe("not_found");
    expect((await changes.only(id)).status).toBe("Open");
  });
});

it("stores a corrected account number encrypted", async () => {
  const { id } = await counterparties.verified();
  const order = await changes.pay(id);
  await changes.corrects(order.id, "C01", { accountNumber: orders.encrypt("111222333444") });
  const rows = await orders.sql(
    `select p.corrected_data, o.progress
     from proposed_change p
     join payment_order o on o.id = p.order_id
     where o.id = $1`,
    [uuidOf(order.id)],
  );
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain("111222333444");
});
