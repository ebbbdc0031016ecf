import { describe, expect, it } from "vitest";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import type { Payer } from "../../world/payer.ts";
import { usd } from "../../world/usd.ts";
import { wait, waitsFor } from "../../world/patience/waits.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

type OrderPage = { data: PaymentOrder[]; nextCursor: string | null; hasMore: boolean };

const world = await forThisFile(OwnWorld.start({ isPatient: true, env: { LOG_LEVEL: "debug" } }));
const payer = await world.payerWith(usd("1000.00"));

const bodyOf = (rail: "Ach" | "Rtp" | "Wire" | "Book", more: object = {}) =>
  payer.body(usd("1.00"), rail, more);

const create = (body: object, headers: Record<string, string> = {}) =>
  world.post<PaymentOrder>("/v1/payment-orders", body, { headers });

describe("Prefer: wait", () => {
  it("delays the answer to a book transfer until it has completed", async () => {
    const pays = async (payee: Payer) => {
      const body = bodyOf("Book", { counterpartyAccountNumber: payee.accountId });
      return { ...(await create(body, wait)), other: payee };
    };
    const { other, ...done } = await waitsFor("Completed", pays, () => world.payerWith(0));
    expect(done).toMatchObject({ status: 201, body: { status: "Completed" } });
    expect(done.headers.get("preference-applied")).toBe("wait=8");
    expect((await other.balance()).posted).toBe(usd("1.00"));
  });

  it("delays the answer to a wire until it waits for approvals", async () => {
    const pending = () => waitsFor("Pending", () => create(bodyOf("Wire"), wait));
    const order = await pending();
    expect(order.body).toMatchObject({ status: "Pending", cancellable: true });
    const cancels = ({ body }: typeof order) =>
      world.post<PaymentOrder>(`/v1/payment-orders/${body.id}/cancel`, {}, { headers: wait });
    const cancelled = await waitsFor("Cancelled", cancels, pending);
    expect(cancelled).toMatchObject({ status: 200, body: { status: "Cancelled" } });
  });

  it("delays the answer to a payment until its rail has reported the outcome", async () => {
    const order = await waitsFor("Completed", () => create(bodyOf("Ach"), wait));
    expect(order.body.status).toBe("Completed");
  });

  it("shows a payment that the account can't cover as Failed at once", async () => {
    const poor = await world.payerWith(0);
    const body = bodyOf("Rtp", { ledgerAccountId: poor.accountId });
    const order = await waitsFor("Failed", () => create(body, wait));
    expect(order.status).toBe(201);
    expect(order.body).toMatchObject({ status: "Failed", failure: { code: "insufficient_funds" } });
  });

  it("is optional: without it the answer comes as soon as the order is stored", async () => {
    const order = await create(bodyOf("Rtp"));
    expect(order.body.status).toBe("Submitted");
    expect(order.headers.get("preference-applied")).toBeNull();
  });
});

describe("an effective date", () => {
  it("in the future keeps the payment Pending with its money held, and it can still be cancelled", async () => {
    const ahead = newYorkDate(new Date(Date.now() + 36 * 3_600_000));
    const pays = async (payerOfTheDay: Payer) => {
      const body = bodyOf("Rtp", { ledgerAccountId: payerOfTheDay.accountId, effectiveDate: ahead });
      return { ...(await create(body, wait)), dated: payerOfTheDay };
    };
    const { dated, ...order } = await waitsFor("Pending", pays, () => world.payerWith(usd("10.00")));
    expect(order.body).toMatchObject({
      status: "Pending",
      cancellable: true,
      effectiveDate: ahead,
      expectedSettlementDate: ahead,
    });
    expect(await dated.balance()).toEqual({
      posted: usd("10.00"),
      held: usd("1.00"),
      available: usd("9.00"),
    });

    await world.post(`/v1/payment-orders/${order.body.id}/cancel`);
    await world.comesToRest(order.body.id);
    expect(await dated.balance()).toEqual({ posted: usd("10.00"), held: 0, available: usd("10.00") });
  });

  it("of today delays nothing", async () => {
    // The day may end before the order is checked.
    const order = await until("an order of today", async () => {
      const created = await create(bodyOf("Rtp", { effectiveDate: newYorkDate(new Date()) }));
      return created.status === 201 ? created : undefined;
    });
    expect((await world.comesToRest(order.body.id)).status).toBe("Completed");
  });
});

describe("headers", () => {
  it("give the request id on every answer, and the location on a creation", async () => {
    const made = await create(bodyOf("Rtp"));
    expect(made.headers.get("location")).toBe(`/v1/payment-orders/${made.body.id}`);
    expect(made.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/);

    const missing = await world.get<Problem>("/v1/payment-orders/po_nothing");
    expect(missing.status).toBe(404);
    expect(missing.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(missing.body.requestId).toBe(missing.headers.get("x-request-id"));
    expect(missing.body).toMatchObject({
      type: expect.stringMatching(/^https:\/\/.*\/not_found$/),
      status: 404,
      code: "not_found",
      instance: "/v1/payment-orders/po_nothing",
      retryable: false,
    });
  });
});

describe("lists", () => {
  it("walk through every order once, newest first, by cursor and by Link", async () => {
    const made: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      made.push((await create(bodyOf("Rtp", { externalId: "walked", submit: false }))).body.id);
    }
    const seen: string[] = [];
    let path: string | null = "/v1/payment-orders?externalId=walked&limit=3";
    while (path !== null) {
      const page: { body: OrderPage; headers: Headers } = await world.get<OrderPage>(path);
      seen.push(...page.body.data.map(({ id }) => id));
      const [, next] = /^<(.*)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? [];
      expect(page.body.hasMore).toBe(next !== undefined);
      expect(page.body.nextCursor === null).toBe(next === undefined);
      path = next ?? null;
    }
    expect(seen).toEqual(made.toReversed());
  });

  it("filter by status, rail and direction, several of each", async () => {
    const wires = await world.get<OrderPage>(
      "/v1/payment-orders?rail=Wire&rail=Ach&status=Cancelled&status=Completed",
    );
    expect(wires.body.data.length).toBeGreaterThan(0);
    for (const order of wires.body.data) {
      expect(["Wire", "Ach"]).toContain(order.rail);
      expect(["Cancelled", "Completed"]).toContain(order.status);
    }
    const debits = await world.get<OrderPage>("/v1/payment-orders?direction=Debit");
    expect(new Set(debits.body.data.map(({ direction }) => direction))).toEqual(new Set(["Debit"]));
  });

  it("walk through an account's entries, a bare array", async () => {
    const account = await world.payerWith(usd("10.00"));
    await world.comesToRest((await account.pays(usd("1.00"))).id);
    const whole = await account.entries();
    expect(whole.map(({ kind }) => kind)).toEqual([
      "Settle",
      "Discharge",
      "Hold",
      "Settle",
      "Discharge",
      "Hold",
    ]);
    const seen: string[] = [];
    let path: string | null = `/v1/ledger-accounts/${account.accountId}/entries?limit=2`;
    while (path !== null) {
      const page: { body: { id: string }[]; headers: Headers } = await world.get<{ id: string }[]>(path);
      expect(Array.isArray(page.body)).toBe(true);
      seen.push(...page.body.map(({ id }) => id));
      path = /^<(.*)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? null;
    }
    expect(seen).toEqual(whole.map(({ id }) => id));
  });

  it("refuse a cursor with other filters, and text that is no cursor", async () => {
    const page = await world.get<OrderPage>("/v1/payment-orders?limit=1&externalId=walked");
    const cursor = encodeURIComponent(page.body.nextCursor ?? "");
    const other = await world.get<Problem>(`/v1/payment-orders?limit=1&externalId=other&cursor=${cursor}`);
    expect([other.status, other.body.code]).toEqual([400, "cursor_filter_mismatch"]);
    for (const path of ["payment-orders", "ledger-accounts", "balances", "webhooks", "webhook-endpoints"]) {
      const refused = await world.get<Problem>(`/v1/${path}?cursor=bm90aGluZw`);
      expect([path, refused.status, refused.body.code]).toEqual([path, 400, "invalid_cursor"]);
    }
  });
});

describe("a trace", () => {
  it("covers every hop of a payment, from the caller's own span", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const made = await create(bodyOf("Ach"), { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    await world.comesToRest(made.body.id);
    const messages = await until("the messages about the order", async () => {
      const published = await messagesAbout(made.body.id);
      return published.length >= 11 ? published : undefined;
    });
    expect(messages.map(({ type }) => type).sort()).toEqual([
      "ledger.hold-placed.v1",
      "ledger.hold-settled.v1",
      "ledger.place-hold.v1",
      "ledger.settle-hold.v1",
      ...Array.from({ length: 4 }, () => "orders.order-status-changed.v1"),
      "rails.instruction-accepted.v1",
      "rails.instruction-settled.v1",
      "rails.submit-instruction.v1",
    ]);
    const requestId = made.headers.get("x-request-id");
    for (const message of messages) {
      expect([message.type, message.traceparent?.split("-")[1]]).toEqual([message.type, trace]);
      expect([message.type, message.correlationid]).toEqual([message.type, requestId]);
    }
    expect(new Set(messages.map(({ traceparent }) => traceparent)).size).toBe(messages.length);
    // Each was caused by another message about the order, except those that the request itself caused.
    const known = new Set(messages.map(({ id }) => id));
    const first = messages.filter(({ causationid }) => causationid === undefined);
    expect(first.map(({ type }) => type).sort()).toEqual([
      "ledger.place-hold.v1",
      "orders.order-status-changed.v1",
    ]);
    expect(
      messages.filter(({ causationid }) => causationid !== undefined && !known.has(causationid)),
    ).toEqual([]);
    // Webhooks publishes no messages. At level debug its log names the request whose events it consumed.
    await until("webhooks' line about the request", () =>
      world.lines.find((line) => line.startsWith("webhooks") && line.includes(String(requestId))),
    );
  });
});

/** Every message that any service put into its outbox about an order. */
async function messagesAbout(orderId: string): Promise<AnyMessage[]> {
  const outboxes = ["orders", "ledger", "rails"].map((schema) => `select message from ${schema}.outbox`);
  const rows = await world.rows<{ message: AnyMessage }>(
    `select f.message
     from (${outboxes.join(" union all ")}) o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
     where f.message ->> 'subject' = $1`,
    [orderId],
  );
  return rows.map(({ message }) => message);
}
