import { describe, expect, it } from "vitest";
import type { LedgerTransaction, ReconciliationReport } from "../../../clients/typescript/types.gen.ts";
import { type IdPrefix, newId } from "../../../contracts/ids/ids.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import { line, Taxpayer } from "../../world/taxpayer.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

// Another tenant's access to a book's transactions, obligations, reconciliations and proof. Virtual accounts, inbound
// payments, accounts and orders have tests of their own.
const world = await forThisFile(World.join());
const neighbour = await seedOtherTenant(world, "Neighbour");
const payer = await world.payerWith(usd("100.00"));

const transactions = "/v1/ledger-transactions";
const side = (direction: "Debit" | "Credit", account: object) => ({
  ...account,
  direction,
  amountCents: usd("2.50"),
});
const fee = (change: object) => ({
  description: "Fee of March",
  entries: [
    side("Debit", { ledgerAccountId: payer.accountId }),
    side("Credit", { ledgerAccountName: "Fees" }),
  ],
  ...change,
});
await world.post("/v1/ledger-accounts", { name: "Fees" });
const posted = (await world.post<LedgerTransaction>(transactions, fee({ externalId: "fee-1" }))).body;
const pending = (await world.post<LedgerTransaction>(transactions, fee({ status: "Pending" }))).body;
const taxpayer = new Taxpayer(world, payer);
const payee = await taxpayer.payee();
const owed = await taxpayer.owes(usd("30.00"), payee);
const run = (await world.post<ReconciliationReport>("/v1/reconciliations", {})).body;
const get = async (key: string, path: string) => (await world.send(key, "GET", path)).body;

const own = (key: string) =>
  world.send(key, "POST", "/v1/ledger-accounts", { body: { name: `Own ${String(performance.now())}` } });
const notFound = { status: 404, body: { code: "not_found" } };

/** A problem without its id, to compare two problems about different ids. */
function gistOf({ status, body }: Answer): unknown {
  const { instance: _path, requestId: _id, ...gist } = body;
  return { status, gist };
}

/** All resources of Acme that the other tenant tries to access. */
const acmes = async () => ({
  transactions: (await world.get(`${transactions}?limit=100`)).body,
  obligation: (await world.get(`/v1/obligations/${owed.id}`)).body,
  runs: (await world.get("/v1/reconciliations")).body,
  balances: (await world.get<{ data: unknown }>("/v1/balances")).body.data,
});

describe.each([
  { stranger: "another tenant", key: neighbour.keys.admin },
  { stranger: "the tenant's own Live book", key: world.tenant.keys.live },
])("for $stranger", ({ key }) => {
  it.each<[path: string, prefix: IdPrefix, id: string]>([
    [transactions, "lt", posted.id],
    ["/v1/obligations", "ob", owed.id],
    ["/v1/reconciliations", "rec", run.id],
  ])("a resource in %s looks like one that never existed", async (path, prefix, id) => {
    const theirs = await world.send(key, "GET", `${path}/${id}`);
    expect(theirs).toMatchObject(notFound);
    const nobodys = await world.send(key, "GET", `${path}/${newId(prefix)}`);
    expect(gistOf(theirs)).toEqual(gistOf(nobodys));
  });

  it.each<[what: string, method: "POST" | "PATCH", path: string, body: object]>([
    ["posted", "POST", `${transactions}/${pending.id}/post`, {}],
    ["voided", "POST", `${transactions}/${pending.id}/void`, {}],
    ["reversed", "POST", `${transactions}/${posted.id}/reverse`, {}],
    ["renamed", "PATCH", `/v1/obligations/${owed.id}`, { lines: [line("Diesel", 1)] }],
    ["fixed", "POST", `/v1/obligations/${owed.id}/fix`, {}],
    ["amended", "POST", `/v1/obligations/${owed.id}/amend`, { lines: [line("Diesel", 1)] }],
    ["closed", "POST", `/v1/ledger-accounts/${payer.accountId}/close`, {}],
  ])("can't be %s", async (_what, method, path, body) => {
    const before = await acmes();
    const refused = await world.send(key, method, path, { body });
    expect(refused).toMatchObject(notFound);
    expect(await acmes()).toEqual(before);
  });

  it("its liability is not paid, out of whatever account", async () => {
    const { body: account } = await own(key);
    const before = await acmes();
    for (const fundingLedgerAccountId of [payer.accountId, account["id"]]) {
      const path = `/v1/obligations/${owed.id}/remit`;
      const body = { rail: "Ach", fundingLedgerAccountId };
      const refused = await world.send(key, "POST", path, { body });
      expect(refused).toMatchObject(notFound);
    }
    expect(await acmes()).toEqual(before);
  });

  it("no obligation of theirs names its payee", async () => {
    const obligation = { type: "Other", reference: "Theirs", lines: [line("Diesel", 1)] };
    const body = { ...obligation, payeeCounterpartyId: payee };
    const refused = await world.send(key, "POST", "/v1/obligations", { body });
    expect(refused).toMatchObject(notFound);
    expect(refused.body["errors"]).toMatchObject([{ pointer: "/payeeCounterpartyId" }]);
  });

  it("no transaction of theirs touches its accounts, by id or by name", async () => {
    const { body: account } = await own(key);
    const before = await acmes();
    for (const other of [{ ledgerAccountId: payer.accountId }, { ledgerAccountName: "Fees" }]) {
      for (const status of ["Posted", "Pending"]) {
        const entries = [side("Debit", other), side("Credit", { ledgerAccountId: account["id"] })];
        const body = { description: "Mine", status, entries };
        const refused = await world.send(key, "POST", transactions, { body });
        expect([refused.status, refused.body["code"]]).toEqual([422, "ledger_account_not_found"]);
      }
    }
    expect(await acmes()).toEqual(before);
  });

  it("lists hold nothing of it, whatever they filter by, also as of a time when it had money", async () => {
    const asOf = encodeURIComponent(new Date(Date.now() - 10).toISOString());
    for (const path of [
      transactions,
      `${transactions}?externalId=fee-1`,
      `${transactions}?ledgerAccountId=${payer.accountId}`,
      "/v1/obligations",
      "/v1/obligations?status=Fixed",
      `/v1/obligations?reference=${encodeURIComponent("IFTA 2026-Q1")}`,
      "/v1/reconciliations",
      "/v1/ledger/journals",
    ]) {
      expect([path, (await get(key, path))["data"]]).toEqual([path, []]);
    }
    for (const path of ["/v1/balances", `/v1/balances?asOf=${asOf}`, "/v1/ledger-accounts?limit=100"]) {
      const body = JSON.stringify(await get(key, path));
      expect([path, body.includes(payer.accountId), body.includes(payer.accountName)]).toEqual([
        path,
        false,
        false,
      ]);
    }
  });

  it("the proof is of its own book, which has moved nothing", async () => {
    expect(await get(key, "/v1/ledger/proof")).toMatchObject({
      lastSequence: 0,
      trialBalance: expect.anything(),
    });
    const own = await world.get<{ lastSequence: number }>("/v1/ledger/proof");
    expect(own.body.lastSequence).toBeGreaterThan(0);
  });

  it("an externalId that another book uses is free", async () => {
    for (const name of ["From", "To"]) {
      await world.send(key, "POST", "/v1/ledger-accounts", { body: { name } });
    }
    const entries = [
      side("Debit", { ledgerAccountName: "From" }),
      side("Credit", { ledgerAccountName: "To" }),
    ];
    const body = { description: "Mine", externalId: "fee-1", entries };
    const made = await world.send(key, "POST", transactions, { body });
    expect(made.status).toBe(201);
    expect((await get(key, `${transactions}?externalId=fee-1`))["data"]).toMatchObject([
      { id: made.body["id"] },
    ]);
    expect((await world.get(`${transactions}?externalId=fee-1`)).body).toMatchObject({
      data: [{ id: posted.id }],
    });
  });
});
