/** What the keys of creates store, and what their repeats get. */
import { describe, expect, it } from "vitest";
import { CreateOrder, UpdateOrder } from "../../../contracts/messages/orders.ts";
import { accounts, OrdersOnTest } from "../../../test/stack/orders/orders.ts";

const laterDay = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const orders = new OrdersOnTest(1, { STORE_PARTIAL_ANSWERS: "true" });

async function storedFor(key: string, by = orders): Promise<unknown> {
  const [row] = await by.sql<{ response: unknown }>("select response from idempotency where key = $1", [key]);
  return row?.response;
}
/** The repeat of a create, as text: with its members in their order. */
async function again(key: string, by = orders): Promise<string> {
  const { value, replayed } = await by.request(CreateOrder, by.body(), { key });
  expect(replayed).toBe(true);
  return JSON.stringify(value);
}

describe("the key of a submitted order", () => {
  it("stores only what the order's rows don't tell", async () => {
    const { expectedSettlementDate } = await orders.create(
      { rail: "Rtp", description: "July" },
      { key: "little" },
    );
    expect(await storedFor("little")).toEqual({ answerForm: 4, members: { expectedSettlementDate } });
  });

  it.each([
    ["Ach", {}],
    ["Wire, with two approvals", { rail: "Wire" }],
    ["Book", { rail: "Book", counterpartyAccountNumber: undefined }],
    ["a later day", { effectiveDate: laterDay }],
    [
      "every field",
      { externalId: "inv-1", statementDescriptor: "JULY", purpose: "fuel", description: "July" },
    ],
  ] as const)("gives the first answer again: %s", async (key, change) => {
    const toReserve = "rail" in change && change.rail === "Book";
    const account = toReserve ? { counterpartyAccountNumber: orders.encrypt(accounts.Reserve) } : {};
    const first = await orders.create({ ...change, ...account }, { key });
    expect(await again(key)).toBe(JSON.stringify(first));
  });

  it("gives the first answer again after the order was edited and has completed", async () => {
    const metadata = { cost: "fuel", team: "ops" };
    const first = await orders.create({ description: "July", metadata }, { key: "ended" });
    await orders.request(UpdateOrder, {
      id: first.id,
      description: "August",
      metadata: { cost: "toll", team: null },
    });
    await orders.holdPlaced(first.id);
    await orders.untilPhase(first.id, "HandingOff");
    await orders.instructionSettled(first.id);
    await orders.untilPhase(first.id, "Settling");
    await orders.holdSettled(first.id);
    const last = await orders.untilStatus(first.id, "Completed");
    expect(last).toMatchObject({ description: "August", metadata: { cost: "toll" } });
    expect(await again("ended")).toBe(JSON.stringify(first));
  });

  it("gives the first answer again to repeats that share a commit with new orders", async () => {
    const first = await orders.create({}, { key: "among others" });
    const [one, other] = await Promise.all([again("among others"), again("among others"), orders.create()]);
    expect([one, other]).toEqual([JSON.stringify(first), JSON.stringify(first)]);
  });
});

it("stores the whole answer to a Draft, which can still change", async () => {
  const draft = await orders.create({ submit: false, description: "July" }, { key: "draft" });
  await orders.request(UpdateOrder, { id: draft.id, amountCents: 9_900, description: "August" });
  expect(await storedFor("draft")).toEqual(draft);
  expect(await again("draft")).toBe(JSON.stringify(draft));
});

it("repeats an answer that the previous release stored whole", async () => {
  const first = await orders.create({}, { key: "before" });
  await orders.sql("delete from idempotency where key = 'before'");
  // Its insert.
  await orders.sql(
    `insert into idempotency (book_id, key, fingerprint, operation, resource_id, response)
     select book_id, 'before', 'the same body', 'create-order', $1, $2
     from payment_order
     limit 1`,
    [first.id, JSON.stringify(first)],
  );
  await orders.cancel(first.id);
  expect(await again("before")).toBe(JSON.stringify(first));
});

describe("without STORE_PARTIAL_ANSWERS, beside instances of the previous release", () => {
  const careful = new OrdersOnTest();

  it("stores whole answers, and gives both kinds again", async () => {
    const first = await careful.create({ rail: "Rtp" }, { key: "whole" });
    expect(await storedFor("whole", careful)).toEqual(first);
    expect(await again("whole", careful)).toBe(JSON.stringify(first));
    const part = { answerForm: 3, members: { expectedSettlementDate: first.expectedSettlementDate } };
    await careful.sql("delete from idempotency where key = 'whole'");
    await careful.sql(
      `insert into idempotency (book_id, key, fingerprint, operation, resource_id, response)
       select book_id, 'whole', 'the same body', 'create-order', $1, $2
       from payment_order`,
      [first.id, JSON.stringify(part)],
    );
    expect(await again("whole", careful)).toBe(JSON.stringify(first));
  });
});
