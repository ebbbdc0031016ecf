import { expect, it, vi } from "vitest";
import {
  dataOf,
  fetchWithRetries,
  itemsOf,
  RefusedError,
  ResultUnknownError,
  verifies,
} from "../../../clients/backend/quittance.ts";
import { createClient, createConfig } from "../../../clients/typescript/client/index.ts";
import type { TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import {
  createPaymentOrder,
  createTestSink,
  createWebhookEndpoint,
  listLedgerEntries,
  listPaymentOrders,
} from "../../world/client.ts";
import { type Loss, openLossyProxy } from "../../world/system/lossy-proxy.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const proxy = await forThisFile(openLossyProxy(world.baseUrl()));
const payer = await world.payerWith(usd("1000.00"));

const retries = { attempts: 10, pauseMs: 1, timeoutMs: 30_000 };
const clientAt = (baseUrl: string, options = retries) =>
  createClient(createConfig({ baseUrl, auth: world.tenant.keys.maker, fetch: fetchWithRetries(options) }));
const client = clientAt(proxy.url);

const proxysPage = (status: number, headers?: Record<string, string>): Loss => ({
  status,
  headers: { "content-type": "text/html", ...headers },
  body: "<html><title>Bad gateway</title></html>",
});
function lose(...losses: Loss[]): void {
  proxy.losses.splice(0, Infinity, ...losses);
  proxy.keys.splice(0);
}
/** The last request was repeated with its key: more than once if a service of a busy machine did not answer, too. */
function expectRepeats(): void {
  expect(proxy.keys.length).toBeGreaterThan(1);
  expect(new Set(proxy.keys).size).toBe(1);
}
let orders = 0;
const bodyOfNext = () => ({ ...payer.body(100), externalId: `backend-${String((orders += 1))}` });
async function ordersOf({ externalId }: { externalId: string }): Promise<string[]> {
  const page = await dataOf(listPaymentOrders({ client: world.client(), query: { externalId } }));
  return page.data.map(({ id }) => id);
}

it.each<[what: string, loss: Loss]>([
  ["a lost request", "the request"],
  ["a lost answer", "the answer"],
  ["an answer that breaks off", "its end"],
  ["a proxy's 502", proxysPage(502)],
  ["a proxy's 504", proxysPage(504)],
])("pays once after %s", async (_what, loss) => {
  lose(loss);
  const body = bodyOfNext();
  const order = await dataOf(createPaymentOrder({ client, body }));
  expect(await ordersOf(body)).toEqual([order.id]);
  expect(proxy.keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expectRepeats();
});

it("gives up an attempt that is not answered in time", async () => {
  lose("all signs of life");
  const body = bodyOfNext();
  const hasty = clientAt(proxy.url, { ...retries, attempts: 20, timeoutMs: 2_000 });
  const headers = { "Idempotency-Key": body.externalId };
  const order = await dataOf(createPaymentOrder({ client: hasty, body, headers }));
  expect(await ordersOf(body)).toEqual([order.id]);
  expect(new Set(proxy.keys)).toEqual(new Set([body.externalId]));
});

it("waits as long as Retry-After says", async () => {
  // A date has whole seconds, so this one is at least a second ahead.
  for (const retryAfter of [() => "1", () => new Date(Date.now() + 2_000).toUTCString()]) {
    lose(proxysPage(429, { "retry-after": retryAfter() }));
    const began = performance.now();
    await dataOf(createPaymentOrder({ client, body: bodyOfNext() }));
    expect(performance.now() - began).toBeGreaterThan(900);
    expectRepeats();
  }
});

it("does not wait an hour", async () => {
  lose(proxysPage(503, { "retry-after": "3600" }));
  await expect(dataOf(createPaymentOrder({ client, body: bodyOfNext() }))).rejects.toThrow(
    ResultUnknownError,
  );
  expect(proxy.keys).toHaveLength(1);
});

it("says that the result is unknown where no attempt was answered by the API", async () => {
  const failure = (losses: Loss[]) => {
    lose(...losses);
    const resigned = clientAt(proxy.url, { ...retries, attempts: 3 });
    const order = createPaymentOrder({ client: resigned, body: bodyOfNext() });
    return dataOf(order).catch((error: unknown) => error);
  };
  const lost = await failure(["the answer", "the answer", "the answer"]);
  expect(lost).toBeInstanceOf(ResultUnknownError);
  expect(String(lost)).toContain("The result is unknown: TypeError");
  const page = await failure([proxysPage(502), proxysPage(502), proxysPage(502)]);
  expect(page).toBeInstanceOf(ResultUnknownError);
  expect(String(page)).toContain("The result is unknown: status 502");
  expect(proxy.keys).toHaveLength(3);
});

it("sends what is refused for good once, and says why", async () => {
  lose();
  const refused = dataOf(createPaymentOrder({ client, body: { ...bodyOfNext(), amountCents: 0 } }));
  const error = await refused.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RefusedError);
  expect((error as RefusedError).problem).toMatchObject({
    status: 400,
    code: "invalid_field",
    retryable: false,
  });
  expect(proxy.keys).toHaveLength(1);
});

it("reads all pages of a list, and of one that is a bare array", async () => {
  lose();
  const ids: string[] = [];
  const read = (cursor: string | undefined) =>
    listPaymentOrders({ client, query: { ledgerAccountId: payer.accountId, limit: 2, cursor } });
  for await (const { id } of itemsOf(read)) ids.push(id);
  const all = await dataOf(
    listPaymentOrders({ client, query: { ledgerAccountId: payer.accountId, limit: 100 } }),
  );
  expect(ids.length).toBeGreaterThan(4);
  expect(ids).toEqual(all.data.map(({ id }) => id));

  const entries: string[] = [];
  const path = { id: payer.accountId };
  // Entries of an order under way may be added with an earlier time.
  for (const { id } of all.data) await world.comesToRest(id);
  const before = { "createdAt[lt]": new Date().toISOString() };
  const readEntries = (cursor: string | undefined) =>
    listLedgerEntries({ client, path, query: { ...before, limit: 2, cursor } });
  for await (const { id } of itemsOf(readEntries)) entries.push(id);
  const allEntries = await dataOf(listLedgerEntries({ client, path, query: { ...before, limit: 100 } }));
  expect(entries.length).toBeGreaterThan(4);
  expect(entries).toEqual(allEntries.map(({ id }) => id));
});

it("verifies a webhook of ours, and no other", async () => {
  lose();
  const sink = await dataOf(createTestSink({ client, body: {} }));
  const body = { url: sink.url, eventTypes: ["payment_order.completed" as const] };
  const { signingSecret } = await dataOf(createWebhookEndpoint({ client, body }));
  await payer.pays(usd("1.00"));
  const path = `/v1/test-sinks/${sink.id}/requests?after=0&wait=10`;
  const { bodyBase64, headers } = await until("a request to the sink", async () => {
    const answer = await world.get<{ data: TestSinkRequest[] }>(path);
    return answer.body.data[0];
  });
  const rawBody = Buffer.from(bodyBase64 ?? "", "base64");
  expect(verifies(rawBody, headers, signingSecret)).toBe(true);
  expect(verifies(Buffer.concat([rawBody, Buffer.from(" ")]), headers, signingSecret)).toBe(false);
  expect(verifies(rawBody, headers, `whsec_${Buffer.from("another").toString("base64")}`)).toBe(false);
  expect(verifies(rawBody, {}, signingSecret)).toBe(false);
  const sixMinutesLater = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 360_000);
  expect(verifies(rawBody, headers, signingSecret)).toBe(false);
  sixMinutesLater.mockRestore();
});
