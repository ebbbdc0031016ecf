import { createSecretKey } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyRequest } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idempotencyOf } from "./idempotency.ts";

const fingerprintKey = createSecretKey(Buffer.alloc(32, 7));

const server = createServer((_message, response) => response.end());
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

/** The Idempotency-Key of a request with these headers, as Node reads them. */
async function keyOf(...headers: string[]): Promise<string | undefined> {
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, "request");
  request({ port, host: "127.0.0.1", headers: ["Host", "localhost", ...headers], agent: false }).end();
  const [raw] = (await arrived) as [IncomingMessage];
  const { headers: read, method, url } = raw;
  const received = { raw, headers: read, method, url, routeOptions: { config: {} } };
  return idempotencyOf(received as unknown as FastifyRequest, fingerprintKey)?.key;
}

describe("a request", () => {
  it.each([
    ["one Idempotency-Key", ["Idempotency-Key", "payout-1"], "payout-1"],
    ["a key with a comma", ["Idempotency-Key", "payout, 1"], "payout, 1"],
    ["none, and another header twice", ["Accept", "a", "Accept", "b"], undefined],
  ])("may have %s", async (_what, headers, key) => {
    expect(await keyOf(...headers)).toBe(key);
  });

  it.each([
    ["the same key twice", ["payout-1", "payout-1"]],
    ["two keys", ["payout-1", "payout-2"]],
    ["a second key that is empty", ["payout-1", ""]],
    ["two empty keys", ["", ""]],
  ])("is refused with %s", async (_what, keys) => {
    await expect(keyOf(...keys.flatMap((key) => ["Idempotency-Key", key]))).rejects.toThrow(
      "Send one header Idempotency-Key, not several.",
    );
  });

  it.each(["", "k".repeat(256)])("is refused with the key '%s'", async (key) => {
    await expect(keyOf("Idempotency-Key", key)).rejects.toThrow("1 to 255 printable ASCII characters");
  });
});
