import { describe, expect, it } from "vitest";
import type { InboundPayment } from "../../../contracts/http/ledger/inbound-payments.ts";
import type { VirtualAccount } from "../../../contracts/http/ledger/virtual-accounts.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { received, sendsTo } from "../../world/inbound.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const neighbour = await seedOtherTenant(world, "Neighbour");

/** Acme's own, which nobody else may see. */
const payer = await world.payerWith(0);
const accounts = [{ rail: "Rtp", accountNumber: "000123456789", routingNumber: "790001005" }];
const ada = { name: "Ada Example", type: "Individual", accounts };
const counterpartyId = (await world.post<{ id: string }>("/v1/counterparties", ada)).body.id;
const named = { name: "Blue Freight", ledgerAccountId: payer.accountId, counterpartyId };
const { body: virtual } = await world.post<VirtualAccount>("/v1/virtual-accounts", named);
const attributed = await received(world, await sendsTo(world, virtual.accountNumber, usd("10.00")));
const suspended = await received(world, await sendsTo(world, "12345678", usd("20.00")));

const notFound = { status: 404, body: { code: "not_found" } };
const own = (key: string) =>
  world.send(key, "POST", "/v1/ledger-accounts", { body: { name: `Own ${String(performance.now())}` } });

it("a virtual account names its counterparty", () => {
  expect(virtual.counterpartyId).toBe(counterpartyId);
});

describe.each([
  { stranger: "another tenant", key: neighbour.keys.admin },
  { stranger: "the tenant's own Live book", key: world.tenant.keys.live },
])("for $stranger", ({ key }) => {
  it.each([
    { what: "a virtual account", path: `/v1/virtual-accounts/${virtual.id}` },
    { what: "a virtual account that never existed", path: `/v1/virtual-accounts/${newId("va")}` },
    { what: "an inbound payment", path: `/v1/inbound-payments/${attributed.id}` },
    { what: "an inbound payment that never existed", path: `/v1/inbound-payments/${newId("ip")}` },
  ])("$what is not found", async ({ path }) => {
    const { status, body } = await world.send(key, "GET", path);
    expect({ status, body }).toMatchObject(notFound);
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
      expect([path, (await world.send(key, "GET", path)).body["data"]]).toEqual([path, []]);
    }
  });

  it.each(["disable", "enable", "close"])("%s of a virtual account is not found", async (action) => {
    const path = `/v1/virtual-accounts/${virtual.id}`;
    const { status, body } = await world.send(key, "POST", `${path}/${action}`);
    expect({ status, body }).toMatchObject(notFound);
    expect((await world.get<VirtualAccount>(path)).body).toEqual(virtual);
  });

  it("money in Suspense can't be assigned, neither to their account nor to one of its owner", async () => {
    const { body: account } = await own(key);
    for (const ledgerAccountId of [account["id"], payer.accountId]) {
      const path = `/v1/inbound-payments/${suspended.id}`;
      const refused = await world.send(key, "POST", `${path}/assign`, { body: { ledgerAccountId } });
      expect(refused).toMatchObject(notFound);
      expect((await world.get<InboundPayment>(path)).body).toEqual(suspended);
    }
  });

  it("their numbers can't lead to its account, and their orders can't pay to its number", async () => {
    const body = { name: "Mine", ledgerAccountId: payer.accountId };
    const made = await world.send(key, "POST", "/v1/virtual-accounts", { body });
    expect([made.status, made.body["code"]]).toEqual([422, "ledger_account_not_found"]);
    const { body: account } = await own(key);
    const order = await world.send(key, "POST", "/v1/payment-orders", {
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
    const { body: account } = await own(key);
    const body = { name: "Mine", ledgerAccountId: account["id"], counterpartyId: virtual.counterpartyId };
    const made = await world.send(key, "POST", "/v1/virtual-accounts", { body });
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
