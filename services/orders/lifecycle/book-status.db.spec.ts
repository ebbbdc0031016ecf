import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { BookFrozen, BookUnfrozen } from "../../../contracts/messages/books.ts";
import { SubmitOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest, refusalOf } from "../../../test/stack/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { createMessage } from "../../platform/messages/message.ts";

// The ledger examines a book: orders takes nothing new for it and hands nothing off, and forgets nothing meanwhile.
let orders: OrdersOnTest;
let word = 0;
beforeAll(async () => {
  orders = await OrdersOnTest.start();
});
afterAll(() => orders.close());
afterEach(() => thaws());

async function says(type: typeof BookFrozen | typeof BookUnfrozen, number: number): Promise<void> {
  const { book } = orders.caller();
  const data = type === BookFrozen ? { reason: "a digest does not fit" } : {};
  const event = createMessage(type, { book, subject: book, sequence: number, data: data as never });
  await orders.messaging.publish(`${type.subject}.p00`, { messages: [event] });
  await until(async () => {
    const [row] = await orders.sql("select 1 from inbox where message_id = $1", [event.id]);
    return row !== undefined;
  });
}
const freezes = () => says(BookFrozen, (word += 1));
const thaws = () => says(BookUnfrozen, (word += 1));

describe("orders of a frozen book", () => {
  it("can't be created or submitted, and the key is free again", async () => {
    const draft = await orders.create({ submit: false });
    await freezes();
    const key = "one-key";
    expect(await refusalOf(orders.create({}, { key }))).toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("being examined"),
    });
    expect((await refusalOf(orders.create({ submit: false }))).code).toBe("service_unavailable");
    expect((await refusalOf(orders.ask(SubmitOrder, { id: draft.id }))).code).toBe("service_unavailable");
    await thaws();
    expect((await orders.create({}, { key })).status).toBe("Submitted");
  });

  it("are replayed under a known key", async () => {
    const first = await orders.create({}, { key: "known" });
    await freezes();
    expect((await orders.create({}, { key: "known" })).id).toBe(first.id);
  });

  it("wait before the hand-off until the book is unfrozen, and then continue by themselves", async () => {
    const { id } = await orders.create();
    await freezes();
    await orders.holdPlaced(id);
    await until(async () => (await orders.phaseOf(id)) === "AwaitingApproval");
    const types = async () => (await orders.published(id)).map(({ type }) => type);
    expect(await types()).not.toContain("rails.submit-instruction.v1");
    await thaws();
    await orders.sql("update payment_order set due_at = now() where phase = 'AwaitingApproval'");
    await until(async () => (await types()).includes("rails.submit-instruction.v1"));
  });

  it("follow the ledger's latest event, whatever order the events come in", async () => {
    const [older, newer] = [(word += 1), (word += 1)];
    await says(BookUnfrozen, newer);
    await says(BookFrozen, older);
    expect((await orders.create()).status).toBe("Submitted");
  });

  it("of another tenant continue", async () => {
    await freezes();
    const other = orders.caller("maker", newId("ten"));
    expect((await orders.create({}, { caller: other })).status).toBe("Submitted");
  });
});
