import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import type { SearchHit } from "../../../contracts/http/search.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { FindInboundPaymentsByAmount, ListInboundPayments } from "../../../contracts/messages/inbound.ts";
import { ListLedgerTransactions } from "../../../contracts/messages/ledger-transactions.ts";
import { GetLedgerAccount } from "../../../contracts/messages/ledger.ts";
import {
  FindAccountsByName,
  FindCounterpartiesByName,
  FindOrdersByPayee,
} from "../../../contracts/messages/names.ts";
import { ListObligations } from "../../../contracts/messages/obligations.ts";
import { GetOrder, ListCounterparties, ListOrders } from "../../../contracts/messages/orders.ts";
import { ListVirtualAccounts } from "../../../contracts/messages/virtual-accounts.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue({ scopes: ["orders:read", "ledger:read"] });
const narrow = await gateway.issue({ principal: "vera", scopes: ["orders:read"] });
const find = (q: string, asker = key) =>
  gateway.call("GET", `/v1/search?q=${encodeURIComponent(q)}`, { key: asker });
const found = (body: Record<string, unknown>) =>
  (body.data as SearchHit[]).map(({ kind, matchedBy, title }) => `${kind} ${matchedBy} ${String(title)}`);
const ledgerKinds = ["LedgerAccount", "VirtualAccount", "InboundPayment", "Obligation", "LedgerTransaction"];

/** What was asked of the ledger. */
const asked: string[] = [];
const nothing = { data: [], nextCursor: null, hasMore: false };
beforeEach(async () => {
  asked.length = 0;
  await gateway.owner(ListOrders, () => nothing);
  await gateway.owner(ListCounterparties, () => nothing);
  await gateway.owner(FindCounterpartiesByName, () => ({ data: [] }));
  await gateway.owner(FindOrdersByPayee, () => ({ data: [] }));
  await gateway.owner(FindInboundPaymentsByAmount, () => {
    asked.push(FindInboundPaymentsByAmount.subject);
    return { data: [] };
  });
  for (const type of [ListVirtualAccounts, ListInboundPayments, ListObligations, ListLedgerTransactions]) {
    await gateway.owner(type, () => {
      asked.push(type.subject);
      return nothing;
    });
  }
  await gateway.owner(FindAccountsByName, () => {
    asked.push(FindAccountsByName.subject);
    return { accounts: [], virtualAccounts: [] };
  });
});

describe("a search", () => {
  it("finds orders by reference and by exact amount, each once", async () => {
    const both = anOrder({ counterpartyName: "Both", amountCents: 123_400, externalId: "1234" });
    const other = anOrder({ counterpartyName: "Amount alone", amountCents: 123_400 });
    const ordersAsked: unknown[] = [];
    await gateway.owner(ListOrders, ({ data }) => {
      ordersAsked.push(data);
      return { ...nothing, data: data.externalId === undefined ? [both, other] : [both] };
    });
    const { status, body } = await find("1234");
    expect(status).toBe(200);
    expect(ordersAsked).toEqual([
      { externalId: ["1234"], limit: 8 },
      { "amountCents[gte]": 123_400, "amountCents[lte]": 123_400, limit: 8 },
    ]);
    expect(found(body)).toEqual(["PaymentOrder Reference Both", "PaymentOrder Amount Amount alone"]);
    expect(body).toMatchObject({ amountCents: 123_400, leftOut: [], unavailable: [] });
  });

  it("finds counterparties and accounts by the start of their names, at most eight of a kind", async () => {
    const named = (name: string) => ({ name, externalId: null, status: "Open", createdAt: null });
    const account = { rail: "Wire" as const, accountNumber: "****4321" };
    await gateway.owner(FindCounterpartiesByName, ({ data }) => {
      expect(data).toEqual({ prefix: "Blue", limit: 8 });
      return { data: [{ id: newId("cp"), ...named("Blue Freight"), account }] };
    });
    await gateway.owner(FindAccountsByName, () => ({
      accounts: Array.from({ length: 9 }, () => ({ id: newId("la"), ...named("Blue") })),
      virtualAccounts: [{ id: newId("va"), ...named("Blue, November") }],
    }));
    const { body } = await find(" Blue ");
    expect((body.data as SearchHit[])[0]).toMatchObject({ ...account, at: null });
    expect(found(body)).toEqual([
      "Counterparty Name Blue Freight",
      ...Array.from({ length: 8 }, () => "LedgerAccount Name Blue"),
      "VirtualAccount Name Blue, November",
    ]);
  });

  it("finds orders by the start of a payee's name, and tells two of the same amount apart", async () => {
    const times = ["2026-03-02T15:00:00.000Z", "2026-03-03T15:00:00.000Z"];
    const orders = times.map((createdAt) =>
      anOrder({ counterpartyName: "Ada Example", amountCents: 100, rail: "Wire", createdAt }),
    );
    await gateway.owner(FindOrdersByPayee, ({ data }) => {
      expect(data).toEqual({ prefix: "ada", limit: 8 });
      return { data: orders.map((one) => ({ ...one, counterpartyName: "Ada Example" })) };
    });
    const { body } = await find("ada");
    expect(body.data).toEqual(
      orders.map(({ id, status, createdAt }) => ({
        kind: "PaymentOrder",
        id,
        matchedBy: "Name",
        title: "Ada Example",
        reference: null,
        status,
        amountCents: 100,
        rail: "Wire",
        accountNumber: "••••6789",
        at: createdAt,
      })),
    );
  });

  it("by an id asks the owner of that kind alone, and finds nothing for an id of another book", async () => {
    const order = anOrder();
    await gateway.owner(GetOrder, ({ data }) => {
      if (data.id !== order.id) throw notFound("payment order");
      return order;
    });
    expect(found((await find(order.id)).body)).toEqual(["PaymentOrder Id Blue Freight"]);
    expect((await find(newId("po"))).body).toMatchObject({ data: [], unavailable: [] });
    expect(asked).toEqual([]);
  });

  it("asks the ledger nothing for a caller without its scope, and names what was left out", async () => {
    const account = newId("la");
    await gateway.owner(GetLedgerAccount, () => {
      asked.push("an account");
      throw notFound("ledger account");
    });
    for (const q of ["Blue", account])
      expect((await find(q, narrow.key)).body).toMatchObject({ data: [], leftOut: ledgerKinds });
    expect(asked).toEqual([]);
  });

  it("names the kinds whose service is away, and still has the rest", async () => {
    await gateway.owner(FindAccountsByName, () => {
      throw new Refusal("service_unavailable", "");
    });
    await gateway.owner(ListOrders, () => ({ ...nothing, data: [anOrder()] }));
    const { status, body } = await find("Blue");
    expect(status).toBe(200);
    expect(found(body)).toEqual(["PaymentOrder Reference Blue Freight"]);
    expect(body).toMatchObject({ unavailable: ["LedgerAccount", "VirtualAccount"] });
  });

  it("refuses an empty text, and one that is too long", async () => {
    expect((await find("  ")).status).toBe(400);
    expect((await find("x".repeat(101))).status).toBe(400);
    expect((await gateway.call("GET", "/v1/search", { key })).body).toMatchObject({
      status: 400,
      code: "missing_field",
    });
  });
});
