import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { patientFetch } from "./patient-fetch.ts";

interface Planned {
  readonly status: number;
  readonly body: object;
}

const planned: Planned[] = [];
const received: { key: string | undefined; body: string }[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const key = request.headers["idempotency-key"] as string | undefined;
    received.push({ key, body: Buffer.concat(chunks).toString() });
    const { status, body } = planned.shift() ?? { status: 200, body: { data: "whole" } };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
await forThisFile(server);
const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
const patient = patientFetch(fetch, (one) => one === origin);
const refused = (status: number, code: string) => ({ status, body: { code } });

beforeEach(() => {
  planned.length = 0;
  received.length = 0;
});

it.each([
  [503, "service_unavailable"],
  [504, "upstream_timeout"],
  [409, "idempotency_in_progress"],
])("repeats a write with one key and the same body after %i %s", async (status, code) => {
  planned.push(refused(status, code), refused(status, code));
  const answer = await patient(`${origin}/v1/ledger-accounts`, { method: "POST", body: '{"name":"Fees"}' });
  expect(answer.status).toBe(200);
  expect(received).toHaveLength(3);
  expect(new Set(received.map(({ body }) => body))).toEqual(new Set(['{"name":"Fees"}']));
  expect(new Set(received.map(({ key }) => key)).size).toBe(1);
  expect(received[0]?.key).toMatch(/^req_/);
});

it("leaves the key that a test gave", async () => {
  planned.push(refused(503, "service_unavailable"));
  const headers = { "idempotency-key": "invoice-4711" };
  await patient(new Request(`${origin}/v1/payment-orders`, { method: "POST", headers, body: "{}" }));
  expect(received.map(({ key }) => key)).toEqual(["invoice-4711", "invoice-4711"]);
});

it("repeats a search until no part of it is missing", async () => {
  planned.push({ status: 200, body: { unavailable: ["Counterparty"] } });
  const answer = await patient(`${origin}/v1/search?q=fees`);
  expect(await answer.json()).toEqual({ data: "whole" });
  expect(received).toHaveLength(2);
});

it.each([
  ["a refusal that a repeat would not end", refused(503, "bank_statement_refused"), "POST", "/v1/orders"],
  ["a conflict", refused(409, "already_exists"), "POST", "/v1/orders"],
  ["a fault", { status: 500, body: { code: "internal" } }, "GET", "/v1/orders"],
  ["a change without a key", refused(503, "service_unavailable"), "PATCH", "/v1/people/one"],
  ["what is not the API", refused(503, "service_unavailable"), "GET", "/readyz"],
])("returns %s at once", async (_what, answer, method, path) => {
  planned.push(answer);
  expect((await patient(`${origin}${path}`, { method })).status).toBe(answer.status);
  expect(received).toHaveLength(1);
});
