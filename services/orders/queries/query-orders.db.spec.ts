import { beforeAll, describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { LateReturnPosted, PostLateReturn } from "../../../contracts/messages/ledger.ts";
import { CancelOrder, GetOrder, ListOrders, UpdateOrder } from "../../../contracts/messages/orders.ts";
import { InstructionReturned } from "../../../contracts/messages/rails.ts";
import { accounts, ledgerEvent, OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";

const orders = new OrdersOnTest();
/** Seven orders, oldest first: amounts 1–7, every other one on RTP, the last two cancelled Drafts. */
const made: PaymentOrder[] = [];

beforeAll(async () => {
  for (let amountCents = 1; amountCents <= 7; amountCents += 1) {
    const rail = amountCents % 2 === 0 ? "Rtp" : "Ach";
    const externalId = amountCents < 3 ? "same" : `inv-${String(amountCents)}`;
    const order = await orders.create(
      {
        amountCents,
        rail,
        externalId,
        submit: amountCents < 6,
        ledgerAccountName: amountCents === 3 ? "Reserve" : "Operating",
        ...(amountCents < 3 ? { metadata: { team: "ops", batch: String(amountCents) } } : {}),
      },
      { key: `order ${String(amountCents)}` },
    );
    made.push(amountCents < 6 ? order : (await orders.cancel(order.id)).value);
  }
});

type Query = Parameters<typeof orders.request<typeof ListOrders>>[1];
const list = async (query: Query = {}) => (await orders.request(ListOrders, query)).value;
const amounts = (page: { data: readonly PaymentOrder[] }) => page.data.map(({ amountCents }) => amountCents);

describe("a list of orders", () => {
  it("is newest first, each with its history", async () => {
    const page = await list();
    expect(amounts(page)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(page).toMatchObject({ hasMore: false, nextCursor: null });
    expect(page.data).toEqual(made.toReversed());
  });

  it("continues after the last one by its cursor, until there are no more", async () => {
    const seen: number[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ limit: 3, cursor });
      seen.push(amounts(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
  });

  it.each<[Query, number[]]>([
    [{ status: "Cancelled" }, [7, 6]],
    [{ status: ["Submitted", "Cancelled"], rail: "Rtp" }, [6, 4, 2]],
    [{ rail: ["Ach"] }, [7, 5, 3, 1]],
    [{ externalId: "same" }, [2, 1]],
    [{ direction: "Debit" }, []],
    [{ direction: "Credit", rail: "Rtp", status: "Submitted" }, [4, 2]],
    [{ status: ["Cancelled", "Cancelled"] }, [7, 6]],
    [{ ledgerAccountId: accounts.Reserve }, [3]],
    [{ ledgerAccountName: "Operating", status: "Cancelled" }, [7, 6]],
    [{ ledgerAccountName: "Operating", ledgerAccountId: accounts.Reserve }, []],
    [{ ledgerAccountName: "Nowhere" }, []],
    [{ ledgerAccountName: "SettlementCash" }, []],
    [{ idempotencyKey: "order 4" }, [4]],
    [{ idempotencyKey: "order 4", rail: "Ach" }, []],
    [{ idempotencyKey: "no such" }, []],
    [{ counterpartyId: newId("cp") }, []],
    [{ returnCode: "R01" }, []],
    [{ "amountCents[gte]": 3, "amountCents[lte]": 5 }, [5, 4, 3]],
    [{ "amountCents[gte]": 6, rail: "Ach" }, [7]],
    [{ metadata: { team: "ops" } }, [2, 1]],
    [{ metadata: { team: "ops", batch: "1" } }, [1]],
    [{ metadata: { team: "ops", batch: "3" } }, []],
    [{ metadata: { team: "ops" }, rail: "Rtp" }, [2]],
    [{ externalId: "same", metadata: { batch: "2" } }, [2]],
    [{ direction: ["Credit", "Debit"] }, [7, 6, 5, 4, 3, 2, 1]],
    [{ externalId: ["inv-4", "same", "none"] }, [4, 2, 1]],
    [{ idempotencyKey: ["order 1", "order 4", "no such"] }, [4, 1]],
    [{ ledgerAccountName: ["Reserve", "Nowhere", "Operating"], rail: "Ach" }, [7, 5, 3, 1]],
    [{ ledgerAccountId: [accounts.Reserve, newId("la")] }, [3]],
    [{ ledgerAccountId: accounts.Reserve, ledgerAccountName: ["Operating", "Reserve"] }, [3]],
    [{ counterpartyId: [newId("cp"), newId("cp")], returnCode: ["R01", "R02"] }, []],
  ])("of %j has %j", async (query, expected) => {
    expect(amounts(await list(query))).toEqual(expected);
  });

  it("filters by creation time to the millisecond, from it on and before it", async () => {
    const at = made[3]!.createdAt;
    expect(amounts(await list({ "createdAt[gte]": at }))).toEqual([7, 6, 5, 4]);
    expect(amounts(await list({ "createdAt[lt]": at }))).toEqual([3, 2, 1]);
    expect(amounts(await list({ "createdAt[gte]": made[1]!.createdAt, "createdAt[lt]": at }))).toEqual([
      3, 2,
    ]);
    // The same moment, written in another zone.
    const inBerlin = new Date(Date.parse(at) + 3_600_000).toISOString().replace("Z", "+01:00");
    expect(amounts(await list({ "createdAt[gte]": inBerlin, status: "Cancelled" }))).toEqual([7, 6]);
    expect(amounts(await list({ "createdAt[gte]": "9999-12-31T23:59:59Z" }))).toEqual([]);
    expect(amounts(await list({ "createdAt[lt]": "0001-01-01T00:00:00Z" }))).toEqual([]);
    // Half a millisecond later: whoever was created at the whole one is before it.
    const justAfter = at.replace("Z", "500Z");
    expect(amounts(await list({ "createdAt[lt]": justAfter }))).toEqual([4, 3, 2, 1]);
    expect(amounts(await list({ "createdAt[gte]": justAfter }))).toEqual([7, 6, 5]);
    // The bounds of what the query accepts.
    expect(amounts(await list({ "createdAt[lt]": "0001-01-01T00:00:00.123456789+15:59" }))).toEqual([]);
    expect(amounts(await list({ "createdAt[gte]": "9999-12-31T23:59:59.123456789-15:59" }))).toEqual([]);
  });

  it.each<Query>([
    { rail: ["Ach", "Rtp"] },
    { ledgerAccountName: "Operating" },
    { "amountCents[gte]": 1 },
    { status: ["Submitted", "Cancelled"] },
    { externalId: ["same", "inv-3", "inv-5", "inv-7"] },
    { idempotencyKey: ["order 2", "order 3", "order 5"] },
    { ledgerAccountName: ["Operating", "Reserve"] },
  ])("of %j continues where its page ended", async (query) => {
    const whole = amounts(await list(query));
    const seen: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ ...query, limit: 2, cursor });
      seen.push(...amounts(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(whole);
  });

  it("finds a Draft by its current metadata", async () => {
    const { id } = await orders.create({ submit: false, metadata: { team: "tax", year: "2026" } });
    await orders.request(UpdateOrder, { id, metadata: { team: "law" } });
    const found = async (metadata: Record<string, string>) => (await list({ metadata })).data.length;
    expect([
      await found({ team: "tax" }),
      await found({ team: "law" }),
      await found({ year: "2026" }),
    ]).toEqual([0, 1, 1]);
  });

  it("refuses a cursor with other filters, and one that is not ours", async () => {
    const { nextCursor } = await list({ limit: 1, rail: "Rtp" });
    const cursor = nextCursor ?? "";
    expect(amounts(await list({ limit: 2, rail: "Rtp", cursor }))).toEqual([4, 2]);
    await expectRefusal(list({ cursor }), "cursor_filter_mismatch");
    await expectRefusal(list({ cursor: "nonsense" }), "invalid_cursor");
  });

  it("refuses a forged cursor before it reaches the database", async () => {
    const { nextCursor } = await list({ limit: 1 });
    const [, digest] = JSON.parse(Buffer.from(nextCursor ?? "", "base64url").toString()) as [string, string];
    const forged = Buffer.from(JSON.stringify(["'; drop table payment_order", digest])).toString("base64url");
    await expectRefusal(list({ cursor: forged }), "invalid_cursor");
  });
});

describe("a list of orders by return code", () => {
  it("has an order that returned late only once the return is posted, as a list by its time", async () => {
    const by = { caller: orders.stranger() };
    const id = await orders.createdTo("HandingOff", {}, by);
    await orders.instructionAccepted(id);
    await orders.instructionSettled(id);
    await orders.untilPhase(id, "Settling");
    await orders.holdSettled(id);
    await orders.untilStatus(id, "Completed");
    const occurredAt = "2026-03-04T17:00:00.000Z";
    const data = { orderId: id, number: 3, occurredAt, code: "R02", traceNumber: "021000020000001" };
    await orders.publish(InstructionReturned, id, data);
    await orders.untilPhase(id, "PostingLateReturn");
    const found = async (query: Query) =>
      (await orders.request(ListOrders, query, by)).value.data.map((order) => order.id);
    const both = () => Promise.all([found({ returnCode: "R02" }), found({ "returnedAt[gte]": occurredAt })]);
    expect(await both()).toEqual([[], []]);
    const [command] = await orders.published(id, PostLateReturn);
    const { returnId } = command!.data as { returnId: `ret_${string}` };
    await orders.publish(LateReturnPosted, id, { ...ledgerEvent(id, "late-return"), returnId });
    await orders.untilPhase(id, "Completed");
    expect(await both()).toEqual([[id], [id]]);
  });
});

describe("a list of orders by Idempotency-Key", () => {
  it("has the order that was created under the key, and none that was only changed under it", async () => {
    const by = { caller: orders.stranger() };
    const { id } = await orders.create({ submit: false }, { ...by, key: "of the order" });
    await orders.request(CancelOrder, { id }, { ...by, key: "of the cancellation" });
    const found = async (idempotencyKey: string) =>
      (await orders.request(ListOrders, { idempotencyKey }, by)).value.data.map((order) => order.id);
    expect([await found("of the order"), await found("of the cancellation")]).toEqual([[id], []]);
  });
});

describe("another book", () => {
  it("sees none of our orders: not in lists, not by id, not with our cursor", async () => {
    const caller = orders.stranger();
    expect((await orders.request(ListOrders, {}, { caller })).value.data).toEqual([]);
    await expectRefusal(orders.request(GetOrder, { id: made[0]!.id }, { caller }), "not_found");
    const { nextCursor } = await list({ limit: 1 });
    const theirs = await orders.request(ListOrders, { limit: 1, cursor: nextCursor ?? "" }, { caller });
    expect(theirs.value.data).toEqual([]);
  });
});
