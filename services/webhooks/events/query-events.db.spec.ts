import { beforeEach, describe, expect, it } from "vitest";
import { eventQuery } from "../../../contracts/http/webhooks/stored-events.ts";
import { idOf, lowestUuidAt, newId, newUuid } from "../../../contracts/ids/ids.ts";
import { CounterpartyChangeProposed } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { refusalOf } from "../../../test/stack/refusals.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { SourceEvent } from "./domain/public-events.ts";

const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, new TestClock()));
let payer = requestContext();
beforeEach(() => {
  payer = requestContext();
});

const list = async (query: Record<string, unknown> = {}, context = payer) =>
  webhooks.events.list({ query: eventQuery.parse(query), apiVersion: "v1" }, context);
const idsOf = async (query: Record<string, unknown>, context = payer) =>
  (await list(query, context)).data.map(({ id }) => id);

describe("an event that no endpoint received", () => {
  it("is read with the data that endpoints of the caller's version receive", async () => {
    const change = statusChange(payer, { externalId: "invoice-7" });
    await webhooks.consume(change);
    const id = idOf("evt", change.id);
    expect(await webhooks.events.get({ id, apiVersion: "v1" }, payer)).toEqual({
      id,
      type: "payment_order.completed",
      objectId: change.data.orderId,
      sequence: 3,
      created_at: "2026-03-04T16:59:59.000Z",
      data: {
        id: change.data.orderId,
        status: "Completed",
        rail: "Ach",
        amountCents: 1_250,
        currency: "USD",
        direction: "Credit",
        externalId: "invoice-7",
        previousStatus: "Processing",
        sequence: 3,
        occurredAt: "2026-03-04T16:59:59.000Z",
      },
    });
    expect((await webhooks.events.get({ id, apiVersion: "v2" }, payer)).data).toMatchObject({
      amount: { cents: 1_250, currency: "USD" },
    });
  });

  it("of a counterparty has the counterparty as its object", async () => {
    const data = {
      id: newId("chg"),
      counterpartyId: newId("cp"),
      paymentOrderId: newId("po"),
      rails: ["Ach"],
      code: "C01",
      correctedData: {
        accountNumber: "****6789",
        routingNumber: null,
        name: null,
        transactionCode: null,
        individualId: null,
      },
      receivedAt: "2026-03-02T13:30:00.000Z",
      correctBy: "2026-03-11T04:00:00.000Z",
      mode: "Test",
    };
    const message = { ...statusChange(payer), type: CounterpartyChangeProposed.type, data } as SourceEvent;
    await webhooks.consume(message);
    const { mode: _mode, ...shown } = data;
    expect((await list()).data).toEqual([
      {
        id: idOf("evt", message.id),
        type: "counterparty.change_proposed",
        objectId: data.counterpartyId,
        sequence: 1,
        created_at: "2026-03-02T13:30:00.000Z",
        data: shown,
      },
    ]);
  });
});

describe("a list of events", () => {
  it("is newest first, a page at a time", async () => {
    const changes = Array.from({ length: 5 }, () => statusChange(payer));
    await webhooks.consume(...changes);
    const newest = changes.map(({ id }) => idOf("evt", id)).toReversed();
    const first = await list({ limit: "2" });
    expect(first.data.map(({ id }) => id)).toEqual(newest.slice(0, 2));
    const second = await list({ limit: "2", cursor: first.nextCursor });
    expect(second.data.map(({ id }) => id)).toEqual(newest.slice(2, 4));
    const last = await list({ limit: "2", cursor: second.nextCursor });
    expect([last.data.map(({ id }) => id), last.hasMore]).toEqual([newest.slice(4), false]);
    const mismatch = await refusalOf(list({ limit: "2", cursor: first.nextCursor, type: "test.event" }));
    expect(mismatch.code).toBe("cursor_filter_mismatch");
  });

  it("has what somebody missed of one order, by its sequence", async () => {
    const orderId = newId("po");
    const changes = [1, 2, 3, 4].map((sequence) => statusChange(payer, { orderId, sequence }));
    await webhooks.consume(...changes, statusChange(payer, { sequence: 9 }));
    const sequencesOf = async (query: object) =>
      (await list({ objectId: orderId, ...query })).data.map((e) => e.sequence);
    expect(await sequencesOf({})).toEqual([4, 3, 2, 1]);
    expect(await sequencesOf({ afterSequence: "2" })).toEqual([4, 3]);
    expect(await sequencesOf({ afterSequence: "4" })).toEqual([]);
    expect(await sequencesOf({ type: "payment_order.failed" })).toEqual([]);
  });

  it("has events of one type or of several", async () => {
    const completed = statusChange(payer);
    const failed = statusChange(payer, { status: "Failed" });
    const pending = statusChange(payer, { status: "Pending" });
    await webhooks.consume(completed, failed, pending);
    expect(await idsOf({ type: "payment_order.failed" })).toEqual([idOf("evt", failed.id)]);
    expect(await idsOf({ type: ["payment_order.failed", "payment_order.pending"] })).toEqual(
      [pending, failed].map(({ id }) => idOf("evt", id)),
    );
    expect(await idsOf({ type: "payment_order.lost" })).toEqual([]);
  });

  it("has events of a period, which is in the real time of their ids", async () => {
    const before = { ...statusChange(payer), id: lowestUuidAt(new Date("2026-03-01T00:00:00.000Z")) };
    const after = { ...statusChange(payer), id: lowestUuidAt(new Date("2026-03-02T00:00:00.000Z")) };
    await webhooks.consume(before, after);
    const between = "2026-03-02T00:00:00.000Z";
    expect(await idsOf({ "createdAt[gte]": between })).toEqual([idOf("evt", after.id)]);
    expect(await idsOf({ "createdAt[lt]": between })).toEqual([idOf("evt", before.id)]);
    expect(await idsOf({ "createdAt[lt]": between, type: "payment_order.completed" })).toHaveLength(1);
    expect(await idsOf({ "createdAt[gte]": between, objectId: before.data.orderId })).toEqual([]);
  });

  it("refuses afterSequence without an object, and a sequence that is no number", () => {
    expect(eventQuery.safeParse({ afterSequence: "1" }).error?.issues[0]?.path).toEqual(["afterSequence"]);
    for (const afterSequence of ["-1", "x", "1.5", "99999999999"]) {
      expect(eventQuery.safeParse({ objectId: "po_1", afterSequence }).success).toBe(false);
    }
  });
});

it("an event of another tenant, or of the tenant's other mode, is not found", async () => {
  const change = statusChange(payer);
  await webhooks.consume(change);
  const { tenant } = payer.caller;
  for (const stranger of [requestContext(), requestContext({ tenant, mode: "Live" })]) {
    const id = idOf("evt", change.id);
    expect((await refusalOf(webhooks.events.get({ id, apiVersion: "v1" }, stranger))).code).toBe("not_found");
    expect(await idsOf({}, stranger)).toEqual([]);
    expect(await idsOf({ objectId: change.data.orderId }, stranger)).toEqual([]);
    expect(await idsOf({ type: "payment_order.completed" }, stranger)).toEqual([]);
  }
  for (const id of [idOf("evt", newUuid()), newId("wh"), "evt_1"]) {
    expect((await refusalOf(webhooks.events.get({ id, apiVersion: "v1" }, payer))).code).toBe("not_found");
  }
});
