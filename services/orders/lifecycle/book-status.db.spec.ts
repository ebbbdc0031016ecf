import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { BookFrozen, BookUnfrozen } from "../../../contracts/messages/books.ts";
import { SubmitOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest, refusalOf } from "../../../test/stack/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { createMessage } from "../../platform/messages/message.ts";

// While the ledger has frozen a book, orders accepts no new orders in it, hands none off and loses none.
let orders: OrdersOnTest;
let sequence = 0;
beforeAll(async () => {
  orders = await OrdersOnTest.start();
});
afterAll(() => orders.close());
afterEach(() => unfreeze());

async function publish(type: typeof BookFrozen | typeof BookUnfrozen, number: number): Promise<void> {
  const { book } = orders.caller();
  const data = type === BookFrozen ? { reason: "a digest does not fit" } : {};
  const event = createMessage(type, { book, subject: book, sequence: number, data: data as never });
  await orders.messaging.publish(`${type.subject}.p00`, { messages: [event] });
  await until(async () => {
    const [row] = await orders.sql("select 1 from inbox where message_id = $1", [event.id]);
    return row !== undefined;
  });
}
const freeze = () => publish(BookFrozen, (sequence += 1));
const unfreeze = () => publish(BookUnfrozen, (sequence += 1));

describe("orders of a frozen book", () => {
  it("can't be created or submitted, and the key is free again", async () => {
    const draft = await orders.create({ submit: false });
    await freeze();
    const key = "one-key";
    expect(await refusalOf(orders.create({}, { key }))).toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("being examined"),
    });
    expect((await refusalOf(orders.create({ submit: false }))).code).toBe("service_unavailable");
    expect((await refusalOf(orders.request(SubmitOrder, { id: draft.id }))).code).toBe("service_unavailable");
    await unfreeze();
    expect((await orders.create({}, { key })).status).toBe("Submitted");
  });

  it("are replayed under an Idempotency-Key that is already stored", async () => {
    const first = await orders.create({}, { key: "known" });
    await freeze();
    expect((await orders.create({}, { key: "known" })).id).toBe(first.id);
  });

  it("wait before the hand-off until the book is unfrozen, and then continue by themselves", async () => {
    const { id } = await orders.create();
    await freeze();
    await orders.holdPlaced(id);
    await until(async () => (await orders.phaseOf(id)) === "AwaitingApproval");
    const types = async () => (await orders.published(id)).map(({ type }) => type);
    expect(await types()).not.toContain("rails.submit-instruction.v1");
    await unfreeze();
    await orders.sql("update payment_order set due_at = now() where phase = 'AwaitingApproval'");
    await until(async () => (await types()).includes("rails.submit-instruction.v1"));
  });

  it("follow the event with the highest sequence, in whatever order the events come", async () => {
    const [older, newer] = [(sequence += 1), (sequence += 1)];
    await publish(BookUnfrozen, newer);
    await publish(BookFrozen, older);
    expect((await orders.create()).status).toBe("Submitted");
  });

  it("of another tenant continue", async () => {
    await freeze();
    const other = orders.caller("maker", newId("ten"));
    expect((await orders.create({}, { caller: other })).status).toBe("Submitted");
  });
});
