import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { Guide, type Sandbox } from "./guide.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A guide to a sandbox that answers like this, and what it prints. */
async function guideTo(answer: RequestListener): Promise<{ guide: Guide; lines: string[] }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const lines: string[] = [];
  const sandbox = { baseUrl, keys: { maker: "qt_test_maker" } } as unknown as Sandbox;
  return { guide: new Guide(sandbox, (line) => lines.push(line)), lines };
}

/** Refuses the first requests with 429. */
function limited(refusals: number, body: object): RequestListener {
  let seen = 0;
  return (_request, response) => {
    seen += 1;
    if (seen <= refusals) response.writeHead(429, { "retry-after": "0" }).end('{"code":"rate_limited"}');
    else response.writeHead(200).end(JSON.stringify(body));
  };
}

it("waits where the sandbox has a rate limit, and calls again", async () => {
  const { guide, lines } = await guideTo(limited(2, { id: "la_1" }));
  const request = { method: "POST", path: "/v1/ledger-accounts", body: {} } as const;
  const { body } = await guide.send<{ id: string }>("maker", request, { status: 200, show: ["id"] });
  expect(body).toEqual({ id: "la_1" });
  expect(lines.filter((line) => line.includes("→"))).toEqual(['    → 200 { id: "la_1" }']);
});

it("reads on until what it waits for is there, past a rate limit too", async () => {
  const { guide } = await guideTo(limited(3, { data: [1] }));
  expect(await guide.lookUntil<{ data: number[] }>("/v1/x", ({ data }) => data.length === 1)).toEqual({
    data: [1],
  });
});

it("skips a stop that the daily limit refuses, and counts it", async () => {
  const refusal = { code: "velocity_limit_exceeded", detail: "The daily limit is $4.00." };
  const { guide, lines } = await guideTo((_request, response) => {
    response.writeHead(422).end(JSON.stringify(refusal));
  });
  const request = { method: "POST", path: "/v1/payment-orders", body: {} } as const;
  const taken = await guide.stop("Pay", async () => {
    await guide.send("maker", request, { status: 201 });
  });
  expect([taken, guide.steps, guide.skipped]).toEqual([false, 1, 1]);
  expect(lines.at(-1)).toBe("    skipped: The daily limit is $4.00.");
});
