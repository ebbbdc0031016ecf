import { beforeAll, describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import {
  CancelOrder,
  DenyOrder,
  ListOrders,
  SubmitOrder,
  UpdateOrder,
} from "../../../contracts/messages/orders.ts";
import { InstructionReturned } from "../../../contracts/messages/rails.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";

// The Instant clock: rail windows are always open, and an ACH order completes at once.
const orders = new OrdersOnTest();
const returnedAt = "2026-03-04T17:00:00.000Z";

/** Created in this order: a Draft that is submitted last, one that completes, one that returns, two that wait. */
const made: Record<"submittedLast" | "completed" | "returned" | "wire" | "later", PaymentOrder> = {} as never;

beforeAll(async () => {
  const draft = await orders.create({ submit: false });
  const completed = await orders.createdTo("HandingOff");
  await orders.instructionAccepted(completed);
  await orders.instructionSettled(completed);
  await orders.untilPhase(completed, "Settling");
  await orders.holdSettled(completed);
  const returned = await orders.createdTo("HandingOff");
  await orders.instructionAccepted(returned);
  const data = { orderId: returned, number: 2, code: "R02", traceNumber: "021000020000001" };
  await orders.publish(InstructionReturned, returned, { ...data, occurredAt: returnedAt });
  await orders.untilPhase(returned, "ReleasingAsReturned");
  await orders.holdReleased(returned);
  made.completed = await orders.untilStatus(completed, "Completed");
  made.returned = await orders.untilStatus(returned, "Returned");
  made.wire = await orders.read(await orders.waitingWire());
  made.later = await orders.read(await orders.createdTo("AwaitingWindow", { effectiveDate: dayAhead(30) }));
  made.submittedLast = (await orders.request(SubmitOrder, { id: draft.id })).value;
});

const dayAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
type Query = Parameters<typeof orders.request<typeof ListOrders>>[1];
const list = async (query: Query) => (await orders.request(ListOrders, query)).value;
const names = async (query: Query) => {
  const known = new Map(Object.entries(made).map(([name, { id }]) => [id, name]));
  return (await list(query)).data.map(({ id }) => known.get(id));
};
const always = "2020-01-01T00:00:00Z";

describe("a list of orders by a time", () => {
  it("has them in the order of their submission, and no Draft", async () => {
    await orders.create({ submit: false });
    expect(await names({ "submittedAt[gte]": always })).toEqual([
      "submittedLast",
      "later",
      "wire",
      "returned",
      "completed",
    ]);
    const at = made.returned.submittedAt!;
    expect(await names({ "submittedAt[lt]": at })).toEqual(["completed"]);
    expect(await names({ "submittedAt[gte]": at, rail: "Ach", status: ["Returned", "Pending"] })).toEqual([
      "later",
      "returned",
    ]);
  });

  it("has those that completed, or returned, from a time on and before another", async () => {
    const { completedAt } = made.completed;
    expect(await names({ "completedAt[gte]": completedAt! })).toEqual(["completed"]);
    expect(await names({ "completedAt[lt]": completedAt! })).toEqual([]);
    expect(await names({ "returnedAt[gte]": returnedAt })).toEqual(["returned"]);
    expect(await names({ "returnedAt[gte]": "2026-03-04T17:00:00.0001Z" })).toEqual([]);
    expect(await names({ "returnedAt[lt]": "2026-03-04T18:00:00.001+01:00" })).toEqual(["returned"]);
    expect(await names({ "returnedAt[lt]": returnedAt })).toEqual([]);
    expect(await names({ "submittedAt[gte]": always, "completedAt[gte]": always })).toEqual(["completed"]);
    expect(await names({ "submittedAt[gte]": always, "returnedAt[lt]": returnedAt })).toEqual([]);
  });

  it("has the one that changed last first", async () => {
    const { updatedAt } = (await orders.request(UpdateOrder, { id: made.completed.id, description: "paid" }))
      .value;
    expect((await names({ "updatedAt[gte]": always }))[0]).toBe("completed");
    expect(await names({ "updatedAt[gte]": updatedAt })).toEqual(["completed"]);
    expect(await names({ "updatedAt[lt]": updatedAt, status: "Completed" })).toEqual([]);
  });

  it.each<Query>([
    { "submittedAt[gte]": always },
    { "updatedAt[lt]": "2100-01-01T00:00:00Z" },
    { "returnedAt[gte]": always },
  ])("of %j continues where its page ended", async (query) => {
    const whole = (await list(query)).data.map(({ id }) => id);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ ...query, limit: 2, cursor });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(whole);
  });

  it.each(["2026-13-01T00:00:00.000000Z {uuid}", "{uuid}", "yesterday {uuid}", "2026-03-01T00:00:00Z x"])(
    "refuses the forged position %s before it reaches the database",
    async (position) => {
      const query = { "submittedAt[gte]": always, limit: 1 };
      const { nextCursor } = await list(query);
      const [, digest] = JSON.parse(Buffer.from(nextCursor!, "base64url").toString()) as [string, string];
      const text = position.replace("{uuid}", "019c0000-0000-7000-8000-000000000001");
      const cursor = Buffer.from(JSON.stringify([text, digest])).toString("base64url");
      await expectRefusal(list({ ...query, cursor }), "invalid_cursor");
    },
  );
});

describe("a list of orders by the decision about their approval", () => {
  const tenant = newId("ten");
  const by = (principal: string) => ({ caller: orders.caller(principal, tenant) });
  const decided = async (query: Query) => (await orders.request(ListOrders, query, by("ann"))).value;

  it("has the latest decision first, and no order that waits, or that needed no approval", async () => {
    const denied = await orders.waitingWire(by("maker"));
    const approved = await orders.waitingWire(by("maker"));
    const cancelled = await orders.waitingWire(by("maker"));
    await orders.waitingWire(by("maker"));
    await orders.createdTo("HandingOff", { rail: "Rtp" }, by("maker"));
    await orders.approve(approved, "ann");
    await orders.approve(approved, "ben");
    await orders.request(CancelOrder, { id: cancelled }, by("maker"));
    await orders.request(DenyOrder, { id: denied, reason: "a duplicate" }, by("ann"));
    const { data } = await decided({ "decidedAt[gte]": always });
    expect(
      data.map(({ id, approval: { decision } }) => [id, decision?.outcome, decision?.decidedBy]),
    ).toEqual([
      [denied, "Denied", "ann"],
      [cancelled, "Cancelled", "maker"],
      [approved, "Approved", "ben"],
    ]);
    const at = data[1]!.approval.decision!.decidedAt;
    const idsOf = (page: Awaited<ReturnType<typeof decided>>) => page.data.map(({ id }) => id);
    expect(idsOf(await decided({ "decidedAt[gte]": at }))).toEqual([denied, cancelled]);
    expect(idsOf(await decided({ "decidedAt[lt]": at }))).toEqual([approved]);
    const first = await decided({ "decidedAt[gte]": always, limit: 2 });
    const next = await decided({ "decidedAt[gte]": always, limit: 2, cursor: first.nextCursor! });
    expect([idsOf(first), idsOf(next)]).toEqual([[denied, cancelled], [approved]]);
  });
});

describe("a list of orders by what they wait for", () => {
  it.each<[Query, string[]]>([
    [{ awaiting: "Approval" }, ["wire"]],
    [{ awaiting: "Window" }, ["later"]],
    [{ awaiting: ["Approval", "Window"] }, ["later", "wire"]],
    [{ awaiting: "Approval", ledgerAccountName: "Operating" }, ["wire"]],
    [{ awaiting: "Approval", ledgerAccountName: "Reserve" }, []],
    [{ awaiting: ["Approval", "Window"], status: "Completed" }, []],
    [{ awaiting: ["Approval", "Window"], status: "Completed", ledgerAccountName: "Operating" }, []],
    [{ awaiting: ["Approval", "Window"], rail: "Wire" }, ["wire"]],
    [{ awaiting: ["Approval", "Window"], "submittedAt[gte]": always }, ["later", "wire"]],
  ])("%j has %j", async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });
});
