/** What a person types is found, whichever service has it. */
import { describe, expect, it } from "vitest";
import type { SearchResult } from "../../../contracts/http/search.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import { aVirtualAccount, received, sendsTo } from "../../world/inbound.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const search = async (q: string, as: "maker" | "approver1" = "maker") =>
  (await world.get<SearchResult>(`/v1/search?q=${encodeURIComponent(q)}`, as)).body;
const found = ({ data }: SearchResult) => data.map(({ kind, id, matchedBy }) => [kind, id, matchedBy]);

const payer = await world.payerNamed("Carrier Settlements");
const order = await world.post<{ id: string }>(
  "/v1/payment-orders",
  payer.body(123_456, "Ach", { externalId: "invoice-4711", counterpartyName: "Carrie Ng", submit: false }),
);
const counterparty = await world.post<{ id: string }>("/v1/counterparties", {
  name: "Carrie Ng",
  type: "Individual",
  externalId: "vendor-7",
  accounts: [{ rail: "Ach", accountNumber: "000123456789", routingNumber: "790001005" }],
});

describe("a search", () => {
  it.each<[string, string]>([
    ["PaymentOrder", order.body.id],
    ["Counterparty", counterparty.body.id],
    ["LedgerAccount", payer.accountId],
  ])("by the id of a %s finds that alone", async (kind, id) => {
    expect(found(await search(id))).toEqual([[kind, id, "Id"]]);
  });

  it("by a reference finds what has exactly this one", async () => {
    expect(found(await search("invoice-4711"))).toEqual([["PaymentOrder", order.body.id, "Reference"]]);
    expect(found(await search("vendor-7"))).toEqual([["Counterparty", counterparty.body.id, "Reference"]]);
    expect(found(await search("invoice-47"))).toEqual([]);
  });

  it("by the start of a name finds counterparties and accounts, whatever the case", async () => {
    expect(found(await search("cArRiE"))).toEqual([
      ["PaymentOrder", order.body.id, "Name"],
      ["Counterparty", counterparty.body.id, "Name"],
      ["LedgerAccount", payer.accountId, "Name"],
    ]);
    expect(found(await search("settlements"))).toEqual([]);
    expect(found(await search("%"))).toEqual([]);
  });

  it.each(["1,234.56", "$1234.56", "1234.56"])("by the amount %s finds the orders of it", async (text) => {
    const result = await search(text);
    expect(result.amountCents).toBe(123_456);
    expect(found(result)).toEqual([["PaymentOrder", order.body.id, "Amount"]]);
  });

  it("by an exact amount finds inbound payments too, with what tells them apart", async () => {
    const { accountNumber } = await aVirtualAccount(world, {
      name: "Deposits",
      ledgerAccountName: "Carrier Settlements",
    });
    const first = await received(world, await sendsTo(world, accountNumber, usd("987.65")));
    const { data } = await search("987.65");
    expect(data).toEqual([
      {
        kind: "InboundPayment",
        id: first.id,
        matchedBy: "Amount",
        title: first.originatorName,
        reference: first.bankReference,
        status: "Attributed",
        amountCents: 98_765,
        rail: first.rail,
        accountNumber: null,
        at: first.occurredAt,
      },
    ]);
    expect((await search("987.65", "approver1")).data).toEqual([]);
  });

  it("leaves out what the key's scopes don't open, and says so", async () => {
    const result = await search("Carrie", "approver1");
    expect(found(result)).toEqual([
      ["PaymentOrder", order.body.id, "Name"],
      ["Counterparty", counterparty.body.id, "Name"],
    ]);
    expect(result.leftOut).toEqual([
      "LedgerAccount",
      "VirtualAccount",
      "InboundPayment",
      "Obligation",
      "LedgerTransaction",
    ]);
    expect(found(await search(payer.accountId, "approver1"))).toEqual([]);
  });

  it("finds nothing of another tenant", async () => {
    const { keys } = await seedOtherTenant(world, "Searcher");
    for (const text of ["Carrie", "invoice-4711", "1,234.56", order.body.id, payer.accountId]) {
      const path = `/v1/search?q=${encodeURIComponent(text)}`;
      const { status, body } = await world.send<SearchResult>(keys.maker, "GET", path);
      expect([status, body.data]).toEqual([200, []]);
    }
  });

  it("needs a text", async () => {
    for (const path of ["/v1/search", "/v1/search?q=", "/v1/search?q=%20"]) {
      expect((await world.get(path)).status).toBe(400);
    }
  });
});
