import { describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../clients/typescript/types.gen.ts";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { approve, deny, submit } from "../../world/actions.ts";
import {
  answerOf,
  bodyOf,
  createPaymentOrder,
  listPaymentOrders,
  previewPaymentOrder,
  updatePaymentOrder,
} from "../../world/client.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const payer = await world.payerWith(usd("1000.00"));

type Patch = NonNullable<Parameters<typeof updatePaymentOrder>[0]["body"]>;
const patch = (id: string, body: Patch, as: "maker" | "admin" = "maker") =>
  answerOf<PaymentOrder & { code?: string }>(
    updatePaymentOrder({ client: world.client(as), path: { id }, body }) as never,
  );

describe("a Draft", () => {
  it("can be changed until it is submitted, and then moves its final amount", async () => {
    const from = await world.payerWith(usd("100.00"));
    const draft = await from.pays(usd("90.00"), { submit: false });
    const changed = await patch(draft.id, {
      amountCents: usd("40.00"),
      purpose: "Diesel",
      description: null,
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ status: "Draft", amountCents: usd("40.00"), purpose: "Diesel" });
    await submit(world, draft.id);
    const late = await patch(draft.id, { amountCents: usd("1.00") });
    expect([late.status, late.body.code]).toEqual([409, "order_frozen"]);
    expect((await world.comesToRest(draft.id)).status).toBe("Completed");
    expect(await from.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });
  });

  it("makes everybody who changes it a maker", async () => {
    const draft = await payer.pays(usd("5.00"), { rail: "Wire", submit: false });
    await patch(draft.id, { amountCents: usd("6.00") }, "admin");
    await submit(world, draft.id);
    await world.reaches(draft.id, ({ status }) => status === "Pending");
    const refused = await approve(world, draft.id, "admin");
    expect([refused.status, refused.body.code]).toEqual([403, "self_approval_not_allowed"]);
    await approve(world, draft.id, "approver1");
    await approve(world, draft.id, "approver2");
    expect(await world.comesToRest(draft.id)).toMatchObject({
      status: "Completed",
      amountCents: usd("6.00"),
    });
  });

  it("can have a provisional amount, and can't be submitted until it has the actual one", async () => {
    const draft = await bodyOf(
      createPaymentOrder({
        client: world.client(),
        body: { ...payer.body(usd("7.00")), basis: "Missing", submit: false },
      }),
    );
    const early = await submit(world, draft.id);
    expect([early.status, early.body.code]).toEqual([422, "basis_missing_input"]);
    expect(early.body.detail).toContain("amountCents (700)");
    expect(early.body.errors).toMatchObject([{ pointer: "/basis" }]);
    await patch(draft.id, { basis: "Actual", amountCents: usd("7.31") });
    expect((await submit(world, draft.id)).status).toBe(200);
    expect(await world.comesToRest(draft.id)).toMatchObject({
      status: "Completed",
      amountCents: usd("7.31"),
    });
  });
});

describe("a denial", () => {
  it("releases the money, and the history names who denied the order and why", async () => {
    const from = await world.payerWith(usd("50.00"));
    const wire = await from.pays(usd("20.00"), { rail: "Wire" });
    await world.reaches(wire.id, ({ status }) => status === "Pending");
    expect((await from.balance()).held).toBe(usd("20.00"));
    expect((await deny(world, wire.id, "Not our supplier", "approver1")).status).toBe(200);
    const over = await world.comesToRest(wire.id);
    expect(over).toMatchObject({ status: "Cancelled", cancelReason: "Not our supplier" });
    expect(over.statusHistory.at(-1)).toMatchObject({ actor: "approver1", reason: "Not our supplier" });
    expect(await from.balance()).toEqual({ posted: usd("50.00"), held: 0, available: usd("50.00") });
    const event = world.receiver.eventsOf(wire.id).find(({ data }) => data.status === "Cancelled");
    expect(event).toMatchObject({
      type: "payment_order.cancelled",
      data: { cancelReason: "Not our supplier" },
    });
  });

  it("is refused without the approver's scope, and for an order that waits for no approval", async () => {
    const wire = await payer.pays(usd("5.00"), { rail: "Wire" });
    await world.reaches(wire.id, ({ status }) => status === "Pending");
    expect((await deny(world, wire.id, "No", "maker")).body.code).toBe("insufficient_scope");
    const draft = await payer.pays(usd("5.00"), { rail: "Wire", submit: false });
    const early = await deny(world, draft.id, "No", "approver1");
    expect(early.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Draft" });
  });
});

describe("a preview", () => {
  it("shows what would happen, and writes nothing", async () => {
    const from = await world.payerWith(usd("30.00"));
    const body = from.body(usd("30.00"));
    const seen = await bodyOf(previewPaymentOrder({ client: world.client(), body }));
    const posted = { pendingBalanceCents: 0, postedBalanceCents: usd("30.00") };
    expect(seen).toMatchObject({
      approvalsRequired: 0,
      ledgerAccountId: from.accountId,
      balances: {
        now: { ...posted, availableBalanceCents: usd("30.00") },
        held: { ...posted, pendingBalanceCents: usd("30.00"), availableBalanceCents: 0 },
        settled: { pendingBalanceCents: 0, postedBalanceCents: 0, availableBalanceCents: 0 },
      },
    });
    expect(await from.balance()).toMatchObject({ held: 0, available: usd("30.00") });
    const order = await bodyOf(createPaymentOrder({ client: world.client(), body }));
    const done = await world.comesToRest(order.id);
    expect(done.status).toBe("Completed");
    // The day of the hand-off is binding, and may be the next one.
    expect([seen.expectedSettlementDate, newYorkDate(new Date())]).toContain(done.expectedSettlementDate);
    expect((await from.balance()).posted).toBe(0);
  });

  it("refuses what the account can't cover; the order itself would fail", async () => {
    const from = await world.payerWith(usd("10.00"));
    const body = from.body(usd("10.01"));
    expect(await answerOf<unknown>(previewPaymentOrder({ client: world.client(), body }))).toMatchObject({
      status: 422,
      body: { code: "insufficient_funds", availableBalanceCents: usd("10.00"), resourceId: from.accountId },
    });
    const order = await from.pays(usd("10.01"));
    expect((await world.comesToRest(order.id)).failure?.code).toBe("insufficient_funds");
  });

  it("has a path that is not taken for an order's id", async () => {
    const read = await world.get<{ code: string }>("/v1/payment-orders/preview");
    expect([read.status, read.body.code]).toEqual([405, "method_not_allowed"]);
    expect(read.headers.get("allow")).toBe("POST");
  });
});

describe("a list by filters", () => {
  it("finds orders that match all of them, and its next page by Link", async () => {
    const from = await world.payerWith(usd("100.00"));
    const made: string[] = [];
    for (const amountCents of [1, 2, 3, 4, 5]) {
      const order = await bodyOf(
        createPaymentOrder({
          client: world.client(),
          body: { ...from.body(amountCents), metadata: { run: from.accountId, "a key": "ü=&" } },
          headers: { "Idempotency-Key": `${from.accountId} ${String(amountCents)}` },
        }),
      );
      made.unshift(order.id);
    }
    const query = {
      rail: ["Rtp" as const],
      ledgerAccountName: from.accountName,
      metadata: { run: from.accountId, "a key": "ü=&" },
      "amountCents[gte]": 2,
    };
    const first = await answerOf(
      listPaymentOrders({ client: world.client(), query: { ...query, limit: 3 } }),
    );
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    expect(ids(first.body as never)).toEqual(made.slice(0, 3));
    const next =
      /^<(?<path>[^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.groups?.["path"] ?? "";
    const second = await world.get<{ data: { id: string }[]; hasMore: boolean }>(next);
    expect(ids(second.body)).toEqual([made[3]]);
    expect(second.body.hasMore).toBe(false);
    const byKey = await bodyOf(
      listPaymentOrders({ client: world.client(), query: { idempotencyKey: `${from.accountId} 1` } }),
    );
    expect(ids(byKey)).toEqual([made[4]]);
  });

  it("takes 0 as a bound of the amount", async () => {
    const { status, body } = await world.get<{ data: object[] }>("/v1/payment-orders?amountCents[lte]=0");
    expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
  });

  it("refuses an unknown filter, and one with an invalid value", async () => {
    const of = async (query: string) => (await world.get<object>(`/v1/payment-orders?${query}`)).body;
    expect(await of("colour=red")).toMatchObject({
      code: "unknown_parameter",
      errors: [{ pointer: "?colour" }],
    });
    expect(await of("amountCents%5Bgt%5D=5")).toMatchObject({ code: "unknown_parameter" });
    expect(await of("amountCents[gte]=5.0")).toMatchObject({
      code: "invalid_field",
      errors: [{ pointer: "?amountCents[gte]" }],
    });
    expect(await of("createdAt[gte]=today")).toMatchObject({ code: "invalid_field" });
  });
});
