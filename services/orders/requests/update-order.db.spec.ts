import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  ListOrderChanges,
  ListOrders,
  SubmitOrder,
  UpdateOrder,
} from "../../../contracts/messages/orders.ts";
import { PlaceHold } from "../../../contracts/messages/ledger.ts";
import { accounts, OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";

const laterDay = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const orders = new OrdersOnTest();

type Patch = Omit<z.input<(typeof UpdateOrder)["data"]>, "id">;
const draft = (change: Parameters<typeof orders.create>[0] = {}) =>
  orders.create({ submit: false, ...change });
const patch = (id: string, change: Patch, by: { principal?: string; key?: string; body?: string } = {}) =>
  orders.request(UpdateOrder, { id, ...change }, { ...by, caller: orders.caller(by.principal ?? "maker") });
const submit = (id: string, principal = "maker") =>
  orders.request(SubmitOrder, { id }, { caller: orders.caller(principal) });

describe("a patch of a Draft", () => {
  it("changes the fields that it sends, removes those that it sets to null, and keeps the rest", async () => {
    const { id } = await draft({ description: "March", externalId: "inv-1", metadata: { team: "ops" } });
    const { value } = await patch(id, {
      amountCents: 9_900,
      rail: "Wire",
      description: null,
      purpose: "Fuel",
      effectiveDate: laterDay,
      metadata: { batch: "9" },
    });
    expect(value).toMatchObject({
      status: "Draft",
      amountCents: 9_900,
      rail: "Wire",
      description: null,
      purpose: "Fuel",
      effectiveDate: laterDay,
      externalId: "inv-1",
      metadata: { team: "ops", batch: "9" },
      counterpartyAccountNumber: "****4444",
    });
    expect(value).toEqual(await orders.read(id));
    expect(value.statusHistory.map(({ to }) => to)).toEqual(["Draft"]);
  });

  it("looks up the accounts again: its own, and a Book counterparty's", async () => {
    const { id } = await draft({ ledgerAccountName: "Operating" });
    const moved = (await patch(id, { ledgerAccountName: "Reserve" })).value;
    expect(moved).toMatchObject({ ledgerAccountId: accounts.Reserve, ledgerAccountName: "Reserve" });
    const book = await patch(id, { rail: "Book", counterpartyAccountNumber: orders.encrypt("Operating") });
    expect(book.value).toMatchObject({
      counterpartyAccountNumber: accounts.Operating,
      counterpartyName: "Operating",
      counterpartyRoutingNumber: null,
    });
    expect(
      await refusalOf(patch(id, { counterpartyAccountNumber: orders.encrypt("Nowhere") })),
    ).toMatchObject({ code: "ledger_account_not_found" });
    await expectRefusal(patch(id, { ledgerAccountName: "SettlementCash" }), "system_account_not_postable");
    expect(await orders.read(id)).toEqual(book.value);
  });

  it("to Book needs another counterparty account: a bank account is not in the book", async () => {
    const { id } = await draft();
    await expectRefusal(patch(id, { rail: "Book" }), "counterparty_account_missing");
  });

  it("makes its editor a maker, unless it changes nothing", async () => {
    const { id } = await draft({ rail: "Wire" });
    await patch(id, { amountCents: 2_000 }, { principal: "editor" });
    await patch(id, { amountCents: 2_000 }, { principal: "reader" });
    await submit(id);
    await expectRefusal(orders.approve(id, "editor"), "self_approval_not_allowed");
    expect((await orders.approve(id, "reader")).value.approval.received).toBe(1);
  });

  it("changes what is submitted, hashed and sent to the ledger", async () => {
    const [edited, untouched] = [await draft(), await draft()];
    await patch(edited.id, { amountCents: 4_200 });
    const [one, other] = [await submit(edited.id), await submit(untouched.id)];
    expect(one.value.amountCents).toBe(4_200);
    expect(one.value.approval.orderHash).not.toBe(other.value.approval.orderHash);
    expect(await orders.published(edited.id, PlaceHold)).toMatchObject([{ data: { amountCents: 4_200 } }]);
  });

  it("can keep an amount from demo data; submission refuses it by name", async () => {
    const { id } = await draft();
    expect((await patch(id, { basis: "Demo" })).value.basis).toBe("Demo");
    const refusal = await refusalOf(submit(id));
    expect(refusal).toMatchObject({ code: "basis_is_demo_data", errors: [{ pointer: "/basis" }] });
    expect(refusal.message).toContain("amountCents (1250)");
  });
});

describe("a patch that is refused", () => {
  it("names the order's status and the frozen fields once it is no Draft", async () => {
    const submitted = await orders.create();
    const cancelled = await draft();
    await orders.cancel(cancelled.id);
    for (const [{ id }, currentStatus] of [
      [submitted, "Submitted"],
      [cancelled, "Cancelled"],
    ] as const) {
      await expectRefusal(patch(id, { amountCents: 1, description: "x", purpose: null }), "order_frozen", {
        errors: [{ pointer: "/amountCents" }, { pointer: "/purpose" }],
        context: { currentStatus, allowedStatuses: ["Draft"] },
      });
      expect((await orders.read(id)).description).toBeNull();
    }
    expect((await orders.read(submitted.id)).amountCents).toBe(1_250);
  });

  it("does not find another book's order", async () => {
    const { id } = await draft();
    const caller = orders.caller("maker", newId("ten"));
    await expectRefusal(orders.request(UpdateOrder, { id, amountCents: 1 }, { caller }), "not_found");
    await expectRefusal(patch(newId("po"), { amountCents: 1 }), "not_found");
  });
});

describe("description and metadata after the submission", () => {
  const submitted = () =>
    orders.create({ description: "March", metadata: { team: "ops", load: "7" }, rail: "Wire" });
  const changesOf = async (id: string, query: { limit?: number; cursor?: string } = {}) =>
    (await orders.request(ListOrderChanges, { id, ...query })).value;

  it("can change, also after the order has ended, and the answer has what they became", async () => {
    const { id } = await submitted();
    const change = { description: "April", metadata: { team: null, batch: "9" } };
    const { value } = await patch(id, change, { principal: "clerk" });
    const changed = { description: "April", metadata: { load: "7", batch: "9" } };
    expect(value).toMatchObject({ status: "Submitted", ...changed });
    expect(value).toEqual(await orders.read(id));
    await orders.cancel(id);
    await orders.holdRefused(id);
    await orders.untilStatus(id, "Cancelled");
    await patch(id, { description: null, metadata: null });
    expect(await orders.read(id)).toMatchObject({ status: "Cancelled", description: null, metadata: {} });
  });

  it("leave the order's hash and its approvals as they are, and it goes to its rail", async () => {
    const { id, approval, updatedAt } = await submitted();
    await orders.holdPlaced(id);
    await orders.untilPhase(id, "AwaitingApproval");
    await orders.approve(id, "first");
    const { value } = await patch(id, { description: "April" }, { principal: "second" });
    expect(value.approval).toMatchObject({ received: 1, orderHash: approval.orderHash });
    expect(value.updatedAt > updatedAt).toBe(true);
    const { value: approved } = await orders.approve(id, "second");
    expect(approved).toMatchObject({ status: "Processing", description: "April" });
    const [row] = await orders.sql("select description, metadata from payment_order where id = $1", [
      uuidOf(id),
    ]);
    expect(row).toEqual({ description: "March", metadata: { team: "ops", load: "7" } });
  });

  it("are listed as they were and became, newest first, with who changed them and when", async () => {
    const { id } = await submitted();
    await patch(id, { description: "April" }, { principal: "clerk" });
    await patch(id, { description: "April" }, { principal: "nobody" });
    const { value } = await patch(id, { metadata: { load: "8" } }, { principal: "auditor" });
    const first = await changesOf(id, { limit: 1 });
    expect(first.data).toEqual([
      {
        principal: "auditor",
        at: value.updatedAt,
        before: { description: "April", metadata: { team: "ops", load: "7" } },
        after: { description: "April", metadata: { team: "ops", load: "8" } },
      },
    ]);
    const second = await changesOf(id, { limit: 1, cursor: first.nextCursor ?? "" });
    expect(second).toMatchObject({
      data: [{ principal: "clerk", before: { description: "March" }, after: { description: "April" } }],
      hasMore: false,
    });
    const another = await submitted();
    const cursor = first.nextCursor ?? "";
    await expectRefusal(changesOf(another.id, { cursor }), "cursor_filter_mismatch");
    await expectRefusal(orders.request(ListOrders, { limit: 1, cursor }), "cursor_filter_mismatch");
  });

  it("are not shown to another book", async () => {
    const { id } = await submitted();
    const caller = orders.stranger();
    await expectRefusal(orders.request(ListOrderChanges, { id }, { caller }), "not_found");
    await expectRefusal(orders.request(UpdateOrder, { id, description: "x" }, { caller }), "not_found");
    await expectRefusal(changesOf("nonsense"), "not_found");
  });

  it("are found by lists as they are now, and no longer as they were", async () => {
    const { id } = await submitted();
    const found = async (metadata: Record<string, string>) =>
      (await orders.request(ListOrders, { metadata, limit: 100 })).value.data.some((each) => each.id === id);
    await patch(id, { metadata: { load: "8" } });
    expect([await found({ load: "7" }), await found({ load: "8" }), await found({ team: "ops" })]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await found({ load: "8", team: "ops" })).toBe(true);
    await patch(id, { metadata: { load: "7" } });
    expect([await found({ load: "7" }), await found({ load: "8" })]).toEqual([true, false]);
  });

  it("hold at most 50 pairs", async () => {
    const { id } = await submitted();
    const pairs = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`k${String(index)}`, "v"]));
    await expectRefusal(patch(id, { metadata: pairs }), "invalid_field", {
      errors: [{ pointer: "/metadata" }],
    });
    expect((await changesOf(id)).data).toEqual([]);
  });

  it("publish no event: no status changed", async () => {
    const { id } = await submitted();
    const before = await orders.published(id);
    await patch(id, { description: "April" });
    expect(await orders.published(id)).toEqual(before);
  });

  it("lose nothing when they change at once", async () => {
    const { id } = await submitted();
    await Promise.all(["a", "b", "c"].map((pair) => patch(id, { metadata: { [pair]: "set" } })));
    expect((await orders.read(id)).metadata).toEqual({
      team: "ops",
      load: "7",
      a: "set",
      b: "set",
      c: "set",
    });
    expect((await changesOf(id)).data).toHaveLength(3);
  });

  it("change once under a key", async () => {
    const { id } = await submitted();
    const once = () => patch(id, { description: "April" }, { key: `note ${id}` });
    expect([(await once()).replayed, (await once()).replayed]).toEqual([false, true]);
    expect((await changesOf(id)).data).toHaveLength(1);
  });
});

describe("a patch under an Idempotency-Key", () => {
  it("is done once, and replayed even after the order was submitted", async () => {
    const { id } = await draft();
    const first = await patch(id, { amountCents: 7 }, { key: `patch ${id}` });
    await submit(id);
    const again = await patch(id, { amountCents: 7 }, { key: `patch ${id}` });
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.value).toEqual(first.value);
    expect(
      await refusalOf(patch(id, { amountCents: 8 }, { key: `patch ${id}`, body: "another body" })),
    ).toMatchObject({ code: "idempotency_key_reused", context: { resourceId: id } });
  });

  it("frees its key if it is refused", async () => {
    const { id } = await draft();
    const key = `refused ${id}`;
    await refusalOf(patch(id, { ledgerAccountName: "Nowhere" }, { key }));
    expect((await patch(id, { ledgerAccountName: "Reserve" }, { key })).replayed).toBe(false);
  });
});

describe("concurrent patches", () => {
  it("lose nothing: each applies to the Draft as the previous one left it", async () => {
    const { id } = await draft();
    const pairs = Array.from({ length: 4 }, (_, index) => `k${String(index)}`);
    await Promise.all(pairs.map((pair) => patch(id, { metadata: { [pair]: "set" } })));
    expect((await orders.read(id)).metadata).toEqual({ k0: "set", k1: "set", k2: "set", k3: "set" });
  });

  it("and a submission: the submitted terms stay, whichever came first", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await draft();
      const [patched] = await Promise.allSettled([patch(id, { amountCents: 777 }), submit(id)]);
      const order = await orders.read(id);
      expect(order.status).toBe("Submitted");
      expect(order.amountCents).toBe(patched.status === "fulfilled" ? 777 : 1_250);
      const [hold] = await orders.published(id, PlaceHold);
      expect(hold?.data).toMatchObject({ amountCents: order.amountCents });
    }
  });
});
