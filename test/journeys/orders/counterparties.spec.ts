import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { Counterparty } from "../../../contracts/http/payments/counterparties.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import type { PartName } from "../../../scripts/local/demo/seed.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { aNumber } from "../../world/inbound.ts";
import { operatorRuns } from "../../world/system/operator.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

const world = await forThisFile(OwnWorld.start({ isPatient: true }));
const payer = await world.payerWith(usd("500.00"));

interface More {
  readonly as?: PartName;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
type AnswerOrProblem<T> = Answer<T & Pick<Problem, "code" | "detail" | "errors">>;
const send = <T>(method: "GET" | "POST" | "PUT", path: string, { as = "maker", ...more }: More = {}) =>
  world.send<T>(world.tenant.keys[as], method, path, more) as Promise<AnswerOrProblem<T>>;
const counterparties = "/v1/counterparties";
const ada = (change: Record<string, unknown> = {}) => ({
  name: "Ada Example",
  type: "Individual",
  accounts: [
    { rail: "Rtp", accountNumber: "000123456789", routingNumber: "790001005", accountType: "Checking" },
    { rail: "Ach", accountNumber: "000987654321", routingNumber: "790001102" },
  ],
  ...change,
});
const store = async (change: Record<string, unknown> = {}): Promise<Counterparty> => {
  const { status, body } = await send<Counterparty>("POST", counterparties, { body: ada(change) });
  expect(status).toBe(201);
  return body;
};
const verify = (id: string, as: PartName = "admin", headers: Record<string, string> = {}) =>
  send<Counterparty>("POST", `${counterparties}/${id}/verify`, { as, headers });
const credit = { direction: "Credit", rail: "Rtp", ledgerAccountId: payer.accountId };
const pay = (counterpartyId: string, change: Record<string, unknown> = {}) =>
  send<PaymentOrder>("POST", "/v1/payment-orders", {
    body: { ...credit, amountCents: usd("5.00"), counterpartyId, ...change },
  });

describe("a counterparty", () => {
  it("is stored once, and paid as soon as somebody else has verified it", async () => {
    const made = await send<Counterparty>("POST", counterparties, { body: ada() });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/v1/counterparties/${made.body.id}`);
    expect(made.headers.get("etag")).toBe('"1"');
    expect(made.body.accounts[0]).toEqual({
      rail: "Rtp",
      accountNumber: "****6789",
      routingNumber: "790001005",
      accountType: "Checking",
    });

    const early = await pay(made.body.id);
    expect(early.status).toBe(422);
    expect(early.body).toMatchObject({ code: "counterparty_unverified", resourceId: made.body.id });
    const own = await verify(made.body.id, "maker");
    expect(own.status).toBe(403);
    expect(own.body).toMatchObject({
      code: "self_approval_not_allowed",
      detail: "maker entered these details, so another principal must verify the counterparty.",
    });

    const verified = await verify(made.body.id);
    expect(verified.status).toBe(200);
    expect(verified.headers.get("etag")).toBe('"2"');
    expect(verified.body).toMatchObject({ verificationStatus: "Verified", verifiedBy: "admin" });

    const order = await pay(made.body.id);
    expect(order.status).toBe(201);
    expect(await world.comesToRest(order.body.id)).toMatchObject({
      status: "Completed",
      counterpartyId: made.body.id,
      counterpartyName: "Ada Example",
      counterpartyAccountNumber: "****6789",
      counterpartyRoutingNumber: "790001005",
    });
  });

  it("is paid at its bank, with the outcome that its magic account number requests", async () => {
    const accounts = [{ rail: "Ach", accountNumber: "100003", routingNumber: "790001005" }];
    const { id } = await store({ accounts });
    await verify(id);
    const order = await pay(id, { rail: "Ach" });
    expect(await world.comesToRest(order.body.id)).toMatchObject({
      status: "Returned",
      return: { code: "R03" },
    });
  });

  it("with If-Match is changed only by a caller who has read the current version", async () => {
    const { id } = await store();
    const path = `${counterparties}/${id}`;
    const read = await send<Counterparty>("GET", path);
    const etag = read.headers.get("etag") ?? "";
    const changed = await send<Counterparty>("PUT", path, {
      body: ada({ email: "ada@example.com" }),
      headers: { "if-match": etag },
    });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).toBe('"2"');
    const late = await send("PUT", path, { body: ada({ name: "Eve" }), headers: { "if-match": etag } });
    expect(late).toMatchObject({ status: 412, body: { code: "precondition_failed", currentVersion: 2 } });
    const lateVerification = await verify(id, "admin", { "if-match": etag });
    expect(lateVerification.status).toBe(412);
    expect((await send("GET", path)).body).toMatchObject({ name: "Ada Example", email: "ada@example.com" });
    // Without If-Match, the change succeeds.
    expect((await send("PUT", path, { body: ada() })).status).toBe(200);
  });

  it("loses its verification when its bank details change, and submitted orders keep the old details", async () => {
    const { id } = await store();
    await verify(id);
    const waiting = await pay(id, {
      amountCents: usd("1.00"),
      effectiveDate: newYorkDate(new Date(Date.now() + 7 * 24 * 3_600_000)),
    });
    expect(waiting.status).toBe(201);
    const accounts = [{ rail: "Rtp", accountNumber: "000555566667", routingNumber: "790001209" }];
    const edited = await send<Counterparty>("PUT", `${counterparties}/${id}`, {
      as: "admin",
      body: ada({ accounts }),
    });
    expect(edited.body).toMatchObject({ verificationStatus: "Unverified", verifiedBy: null });
    expect((await pay(id)).body).toMatchObject({ code: "counterparty_unverified" });
    // The editor may not verify. The maker may, because none of the maker's details are left.
    expect((await verify(id, "admin")).status).toBe(403);
    expect((await verify(id, "maker")).status).toBe(200);
    expect(await world.order(waiting.body.id)).toMatchObject({ counterpartyAccountNumber: "****6789" });
    const after = await pay(id);
    expect(await world.comesToRest(after.body.id)).toMatchObject({
      status: "Completed",
      counterpartyAccountNumber: "****6667",
    });
  });

  it("is created, replaced and verified once under a key", async () => {
    const under = (key: string) => ({ "idempotency-key": key });
    const create = () =>
      send<Counterparty>("POST", counterparties, { body: ada(), headers: under("cp-make") });
    const [made, again] = [await create(), await create()];
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("etag")).toBe('"1"');
    expect(again.body).toEqual(made.body);
    const path = `${counterparties}/${made.body.id}`;
    const headers = { ...under("cp-put"), "if-match": '"1"' };
    const replace = () => send<Counterparty>("PUT", path, { body: ada({ name: "Ada E." }), headers });
    const [put, putAgain] = [await replace(), await replace()];
    expect([put.status, putAgain.status]).toEqual([200, 200]);
    expect(putAgain.body).toEqual(put.body);
    const reused = await send("PUT", path, { body: ada({ name: "Eve" }), headers });
    expect(reused.body).toMatchObject({ code: "idempotency_key_reused", resourceId: made.body.id });
    const verifyOnce = () => verify(made.body.id, "admin", under("cp-verify"));
    const [verified, verifiedAgain] = [await verifyOnce(), await verifyOnce()];
    expect(verifiedAgain.body).toEqual(verified.body);
    expect((await send<Counterparty>("GET", path)).body.version).toBe(3);
  });

  it("is found by externalId, name and status, page by page", async () => {
    const externalId = `vendor-${String(performance.now())}`;
    const { id } = await store({ name: "Found Me", externalId });
    await store({ name: "Found Me" });
    const list = (query: string) =>
      send<{ data: Counterparty[]; nextCursor: string | null }>("GET", `${counterparties}?${query}`);
    expect((await list(`externalId=${externalId}`)).body.data.map((found) => found.id)).toEqual([id]);
    const first = await list("name=Found%20Me&verificationStatus=Unverified&limit=1");
    const next = /<(.*)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await send<{ data: Counterparty[] }>("GET", next);
    expect(second.body.data.map((found) => found.id)).toEqual([id]);
    const taken = await send("POST", counterparties, { body: ada({ externalId }) });
    expect([taken.status, taken.body.code]).toEqual([409, "external_id_in_use"]);
  });
});

describe("the API refuses", () => {
  const [rtp] = ada().accounts;
  it.each([
    ["a second account on a rail", 400, "/accounts/1/rail", { accounts: [rtp, rtp] }],
    [
      "a routing number that fails its checksum",
      422,
      "/accounts/0/routingNumber",
      { accounts: [{ ...rtp, routingNumber: "790001006" }] },
    ],
    ["an account in the book", 400, "/accounts/0/rail", { accounts: [{ ...rtp, rail: "Book" }] }],
    ["a malformed email address", 400, "/email", { email: "nobody" }],
  ])("%s", async (_what, status, pointer, change) => {
    const refused = await send("POST", counterparties, { body: ada(change) });
    expect(refused.status).toBe(status);
    expect(refused.body.errors?.[0]?.pointer).toBe(pointer);
  });

  it("an order that names a counterparty in two ways, or one that does not exist", async () => {
    const { id } = await store();
    const both = await pay(id, { counterpartyName: "Ada Example" });
    expect([both.status, both.body.errors?.[0]?.pointer]).toEqual([400, "/counterpartyName"]);
    expect(await pay(newId("cp"))).toMatchObject({ status: 404, body: { code: "not_found" } });
    const preview = await send("POST", "/v1/payment-orders/preview", {
      body: { ...credit, amountCents: 100, counterpartyId: id },
    });
    expect([preview.status, preview.body.code]).toEqual([422, "counterparty_unverified"]);
  });

  it("a write by a key without the scope, and a verification in a Live book", async () => {
    const unscoped = await send("POST", counterparties, { as: "approver1", body: ada() });
    expect(unscoped.body).toMatchObject({
      code: "insufficient_scope",
      requiredScope: "counterparties:write",
    });
    const live = await send<Counterparty>("POST", counterparties, { as: "live", body: ada() });
    const own = await verify(live.body.id, "live");
    expect([own.status, own.body.code]).toEqual([403, "self_approval_not_allowed"]);
    // A counterparty of another book is not found.
    expect((await send("GET", `${counterparties}/${live.body.id}`)).status).toBe(404);
  });
});

describe("npm run encryption", () => {
  const encryption = async (command: "status" | "rotate", keys: string) => {
    const by = command === "rotate" ? ["--by", "ada"] : [];
    return (await operatorRuns(world, "encryption", [command, ...by], { ENCRYPTION_KEYS: keys })).stdout;
  };

  const secretsLeftOut = "left out: signing secrets, because SIGNING_SECRET_KEYS is not set\n";

  it("re-encrypts with the first key, and counts what still needs the others", async () => {
    const { id } = await store();
    await verify(id);
    const payer = await world.payerWith(0);
    const virtual = await aNumber(world, payer.accountId);
    const before = world.system.secrets.accountNumberKeys;
    expect(await encryption("status", before)).toBe(
      `every account number is encrypted with local-1\n${secretsLeftOut}`,
    );
    const both = `local-2:${randomBytes(32).toString("base64")},${before}`;
    expect(await encryption("rotate", both)).toMatch(
      /^re-encrypted with local-2: [1-9]\d* accounts of counterparties\n[^]*still encrypted with local-1: [1-9]\d* final orders\n[^]*keep local-1 in ENCRYPTION_KEYS, after local-2\nleft out: [^]*$/,
    );
    // The running services know the old key only, so the numbers are rotated back before the order is paid.
    expect(
      await world.rows(
        `select 1 from orders.counterparty_account where key_id <> 'local-2'
         union all select 1 from ledger.virtual_account where key_id <> 'local-2'`,
      ),
    ).toEqual([]);
    expect(await encryption("rotate", `${before},${both.split(",")[0] ?? ""}`)).toMatch(
      /^re-encrypted with local-1: [1-9]\d* accounts of counterparties\n/,
    );
    const order = await pay(id);
    expect(await world.comesToRest(order.body.id)).toMatchObject({ status: "Completed" });
    expect((await world.get(`/v1/virtual-accounts/${virtual.id}`)).body).toEqual(virtual);
  });
});
