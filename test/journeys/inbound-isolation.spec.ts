import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InboundPayment } from "../../contracts/http/ledger/inbound-payments.ts";
import type { VirtualAccount } from "../../contracts/http/ledger/virtual-accounts.ts";
import { newId } from "../../contracts/ids/ids.ts";
import { call, type Call } from "../../scripts/local/api.ts";
import type { SeededTenant } from "../../scripts/local/seed.ts";
import { received, sendsTo } from "../world/inbound.ts";
import { seedOtherTenant } from "../world/operator.ts";
import type { Payer } from "../world/payer.ts";
import { usd } from "../world/usd.ts";
import { World } from "../world/world.ts";

let world: World;
let neighbour: SeededTenant;
/** Acme's own, which nobody else may see. */
let payer: Payer;
let virtual: VirtualAccount;
let attributed: InboundPayment;
let suspended: InboundPayment;
beforeAll(async () => {
  world = await World.start();
  neighbour = await seedOtherTenant(world, "Neighbour");
  payer = await world.payerWith(0);
  virtual = await aNumberFor(await aCounterparty());
  attributed = await received(world, await sendsTo(world, virtual.accountNumber, usd("10.00")));
  suspended = await received(world, await sendsTo(world, "12345678", usd("20.00")));
});
afterAll(() => world.stop());

async function aCounterparty(): Promise<string> {
  const accounts = [{ rail: "Rtp", accountNumber: "000123456789", routingNumber: "790001005" }];
  const body = { name: "Ada Example", type: "Individual", accounts };
  return (await world.post<{ id: string }>("/v1/counterparties", body)).body.id;
}

async function aNumberFor(counterpartyId: string): Promise<VirtualAccount> {
  const body = { name: "Blue Freight", ledgerAccountId: payer.accountId, counterpartyId };
  const made = await world.post<VirtualAccount>("/v1/virtual-accounts", body);
  expect(made).toMatchObject({ status: 201, body: { counterpartyId } });
  return made.body;
}

const send = (key: string, request: Omit<Call, "key">) => call(world.baseUrl(), { ...request, key });
const own = (key: string) =>
  send(key, {
    method: "POST",
    path: "/v1/ledger-accounts",
    body: { name: `Own ${String(performance.now())}` },
  });

describe.each([
  { stranger: "another tenant", keyOf: () => neighbour.keys.admin },
  { stranger: "the tenant's own Live book", keyOf: () => world.tenant.keys.live },
])("for $stranger", ({ keyOf }) => {
  it.each([
    { what: "a virtual account", path: () => `/v1/virtual-accounts/${virtual.id}` },
    { what: "a virtual account that never existed", path: () => `/v1/virtual-accounts/${newId("va")}` },
    { what: "an inbound payment", path: () => `/v1/inbound-payments/${attributed.id}` },
    { what: "an inbound payment that never existed", path: () => `/v1/inbound-payments/${newId("ip")}` },
  ])("$what is not found", async ({ path }) => {
    const { status, body } = await send(keyOf(), { method: "GET", path: path() });
    expect([status, body["code"]]).toEqual([404, "not_found"]);
    expect(JSON.stringify(body)).not.toContain(virtual.accountNumber);
  });

  it("lists show none of them, with any filter", async () => {
    for (const path of [
      "/v1/virtual-accounts",
      `/v1/virtual-accounts?ledgerAccountId=${payer.accountId}`,
      "/v1/inbound-payments",
      "/v1/inbound-payments?status=Suspended",
      `/v1/inbound-payments?virtualAccountId=${virtual.id}`,
      `/v1/inbound-payments?ledgerAccountId=${payer.accountId}`,
      `/v1/inbound-payments?bankReference=${attributed.bankReference}`,
    ]) {
      expect([path, (await send(keyOf(), { method: "GET", path })).body["data"]]).toEqual([path, []]);
    }
  });

  it.each(["disable", "enable", "close"])("%s of a virtual account is not found", async (action) => {
    const path = `/v1/virtual-accounts/${virtual.id}`;
    const { status, body } = await send(keyOf(), { method: "POST", path: `${path}/${action}` });
    expect([status, body["code"]]).toEqual([404, "not_found"]);
    expect((await world.get<VirtualAccount>(path)).body).toEqual(virtual);
  });

  it("money in Suspense can't be assigned, neither to their account nor to one of its owner", async () => {
    const { body: account } = await own(keyOf());
    for (const ledgerAccountId of [account["id"], payer.accountId]) {
      const path = `/v1/inbound-payments/${suspended.id}`;
      const request = { method: "POST" as const, path: `${path}/assign`, body: { ledgerAccountId } };
      const { status, body } = await send(keyOf(), request);
      expect([status, body["code"]]).toEqual([404, "not_found"]);
      expect((await world.get<InboundPayment>(path)).body).toEqual(suspended);
    }
  });

  it("their numbers can't lead to its account, and their orders can't pay to its number", async () => {
    const body = { name: "Mine", ledgerAccountId: payer.accountId };
    const made = await send(keyOf(), { method: "POST", path: "/v1/virtual-accounts", body });
    expect([made.status, made.body["code"]]).toEqual([422, "ledger_account_not_found"]);
    const { body: account } = await own(keyOf());
    const order = await send(keyOf(), {
      method: "POST",
      path: "/v1/payment-orders",
      body: {
        direction: "Debit",
        rail: "Book",
        amountCents: 100,
        ledgerAccountId: account["id"],
        counterpartyAccountNumber: virtual.accountNumber,
      },
    });
    expect([order.status, order.body["code"]]).toEqual([422, "ledger_account_not_found"]);
  });

  it("their numbers can't be given to its counterparty", async () => {
    const { body: account } = await own(keyOf());
    const body = { name: "Mine", ledgerAccountId: account["id"], counterpartyId: virtual.counterpartyId };
    const made = await send(keyOf(), { method: "POST", path: "/v1/virtual-accounts", body });
    expect([made.status, made.body["code"]]).toEqual([404, "not_found"]);
    expect(made.body["errors"]).toMatchObject([{ pointer: "/counterpartyId", code: "not_found" }]);
  });
});

describe("money that another tenant's bank receives for our number", () => {
  it("goes to that tenant's Suspense, without the number's owner", async () => {
    const key = neighbour.keys.admin;
    const reference = await sendsTo(world, virtual.accountNumber, usd("5.00"), { key });
    expect(await received(world, reference, key)).toMatchObject({
      status: "Suspended",
      reason: "UnknownNumber",
      virtualAccountId: null,
    });
    expect(await payer.balance()).toMatchObject({ posted: usd("10.00") });
    const { body } = await world.get<{ data: InboundPayment[] }>("/v1/inbound-payments");
    expect(body.data.map(({ id }) => id)).toEqual([suspended.id, attributed.id]);
  });
});
