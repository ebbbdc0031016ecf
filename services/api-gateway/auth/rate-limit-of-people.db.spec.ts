import { expect, it } from "vitest";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";
import { until } from "../../../test/stack/until.ts";

const order = "/v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa";
const admin = { roles: { Test: ["Admin" as const], Live: [] } };

it("people spend nothing of what API keys may, so that a leaked key can't keep an admin from revoking it", async () => {
  const gateway = await forThisFile(startGateway({ RATE_LIMIT_PER_SECOND: "100", RATE_LIMIT_BURST: "100" }));
  await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id }));
  const seat = await sitDown(gateway, await inviteTo(gateway)(admin));
  const { key } = await gateway.issue();
  const leftAfter = async (path: string, as: { key?: string; headers?: Record<string, string> }) => {
    const answer = await gateway.call("GET", path, as);
    return Number(/;r=(\d+);/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
  };
  const [, ofMode, ofSession] = await Promise.all([
    Promise.all(Array.from({ length: 30 }, () => leftAfter(order, { key }))),
    leftAfter("/v1/me", { headers: seat.headers }),
    leftAfter("/auth/passkeys", { headers: seat.headers }),
  ]);
  expect([ofMode, ofSession].toSorted((a, b) => a - b)[0]).toBeGreaterThanOrEqual(98);
});

it("an admin's requests pass while API keys have as many under way as they may", async () => {
  const gateway = await forThisFile(startGateway({ REQUESTS_UNDER_WAY: "2", RATE_LIMIT_PER_SECOND: "0" }));
  const seat = await sitDown(gateway, await inviteTo(gateway)(admin));
  const { key } = await gateway.issue();
  const held = Promise.withResolvers<void>();
  let waiting = 0;
  await gateway.owner(GetOrder, async ({ data }) => {
    waiting += 1;
    await held.promise;
    return anOrder({ id: data.id });
  });
  const read = async () => (await gateway.call("GET", order, { key })).status;
  const underWay = [read(), read()];
  try {
    await until("two requests under way", () => waiting === 2);
    expect(await read()).toBe(429);
    const path = "/v1/api-keys/me";
    expect((await gateway.call("GET", path, { headers: seat.headers })).status).toBe(404);
    expect((await gateway.call("GET", "/auth/passkeys", { headers: seat.headers })).status).toBe(200);
  } finally {
    held.resolve();
  }
  expect(await Promise.all(underWay)).toEqual([200, 200]);
});

it("a session that has ended says so, however many invalid keys its network has sent", async () => {
  const gateway = await forThisFile(startGateway({ FAILED_KEYS_PER_MINUTE: "1" }));
  const seat = await sitDown(gateway, await inviteTo(gateway)());
  await gateway.call("POST", "/auth/sign-out", { body: {}, headers: seat.headers });
  const codeOf = async (headers: Record<string, string>) =>
    (await gateway.call("GET", "/v1/me", { headers })).body["code"];
  const nonsense = { "x-api-key": "nonsense" };
  expect([await codeOf(nonsense), await codeOf(nonsense)]).toEqual(["api_key_invalid", "rate_limited"]);
  expect(await codeOf(seat.headers)).toBe("session_ended");
  expect(await codeOf({ ...seat.headers, cookie: "__Host-session=nonsense" })).toBe("rate_limited");
});
