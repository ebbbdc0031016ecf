import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { creationTimeOf, newId, type RequestId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";
import { until } from "../../../test/stack/until.ts";
import { createTenant } from "../tenants/create-tenant.ts";
import { maxWaitingOfBook, RefusedRequests } from "./refused-requests.worker.ts";
import {
  deleteOldRequests,
  insertRefusedRequests,
  listRefusedRequests,
  type RefusedOf,
} from "./store/refused-requests.ts";

const gateway = await forThisFile(startGateway());
const { sql } = gateway.database;
const secret = "po_01jd3k5s8ye9v8z2r0q3m7n4xa";
type Listed = readonly Record<string, unknown>[];
const list = async (key: string, query = "") =>
  (await gateway.call("GET", `/v1/requests${query}`, { key })).body.data as Listed;
const listed = (key: string, count: number, query = "") =>
  until(`${String(count)} refused requests`, async () => {
    const found = await list(key, query);
    return found.length === count ? found : undefined;
  });

const refusedAt = (time: Date, more: Partial<RefusedOf> = {}): RefusedOf => ({
  id: newId("req"),
  tenant: gateway.tenant,
  mode: "Test",
  createdAt: time.toISOString(),
  method: "GET",
  path: "/v1/payment-orders",
  status: 400,
  code: "invalid_field",
  principal: "maya",
  apiKeyId: null,
  durationMs: 1,
  ...more,
});

describe("refused requests", () => {
  it("are listed in their own book, with the route's template and without ids, query and body", async () => {
    const { id, key } = await gateway.issue({ mode: "Test", principal: "maya", scopes: ["webhooks:read"] });
    const live = await gateway.issue({ mode: "Live", principal: "maya", scopes: ["webhooks:read"] });
    const answer = await gateway.call("GET", `/v1/payment-orders/${secret}?note=secret`, { key });
    expect(answer.body.code).toBe("insufficient_scope");
    const found = await listed(key, 1);
    expect(found).toEqual([
      {
        id: answer.headers.get("x-request-id"),
        createdAt: creationTimeOf(answer.headers.get("x-request-id") as RequestId).toISOString(),
        method: "GET",
        path: "/v1/payment-orders/{id}",
        status: 403,
        code: "insufficient_scope",
        principal: "maya",
        apiKeyId: id,
        durationMs: expect.any(Number) as number,
      },
    ]);
    expect(JSON.stringify(found)).not.toContain("secret");
    expect(await list(live.key)).toEqual([]);
    const other = (await createTenant(sql, "Blue Freight")).id;
    expect(await listRefusedRequests(sql, { tenant: other, mode: "Test" }, { limit: 25 }, null)).toEqual([]);
  });

  it("are grouped by code, and filtered by code, class of status and time", async () => {
    const { key } = await gateway.issue({ mode: "Live" });
    await insertRefusedRequests(sql, [
      refusedAt(new Date(), { mode: "Live" }),
      refusedAt(new Date(), { mode: "Live" }),
      refusedAt(new Date(), { mode: "Live", status: 503, code: "service_unavailable" }),
    ]);
    const { body } = await gateway.call("GET", "/v1/requests/summary", { key });
    expect((body.data as Listed).map(({ code, status, requests }) => [code, status, requests])).toEqual([
      ["invalid_field", 400, 2],
      ["service_unavailable", 503, 1],
    ]);
    expect(await list(key, "?code=invalid_field")).toHaveLength(2);
    expect(await list(key, "?status=5xx")).toHaveLength(1);
    expect(await list(key, "?status=5xx&code=invalid_field")).toHaveLength(0);
    expect(await list(key, "?createdAt[lt]=2026-01-01T00:00:00Z")).toHaveLength(0);
    const first = await gateway.call("GET", "/v1/requests?limit=2", { key });
    const cursor = String(first.body.nextCursor);
    expect(await list(key, `?limit=2&cursor=${cursor}`)).toHaveLength(1);
  });

  it("of a person in a session name no key", async () => {
    const seat = await sitDown(gateway, await inviteTo(gateway)({ principal: "rosa" }));
    await gateway.call("GET", "/v1/people", { headers: seat.headers });
    const rosas = await until("rosa's refused request", async () => {
      const { body } = await gateway.call("GET", "/v1/requests", { headers: seat.headers });
      return (body.data as Listed).find(({ principal }) => principal === "rosa");
    });
    expect(rosas).toMatchObject({ path: "/v1/people", code: "insufficient_scope", apiKeyId: null });
  });

  it("are deleted after seven days", async () => {
    const old = `01900000-0000-7000-8000-${Date.now().toString(16).padStart(12, "0")}`;
    await gateway.asOwner(
      `insert into gateway.refused_request
       select '${old}', id, 'Test', 'GET', '/v1/me', 400, 'invalid_field', 'maya', null, 1, now()
       from gateway.tenant limit 1`,
    );
    expect(await deleteOldRequests(sql)).toBe(1);
    expect(await deleteOldRequests(sql)).toBe(0);
  });
});

const quiet = pino({ enabled: false });

describe("the buffer", () => {
  it("takes so many of a book, leaves room for others, and keeps what could not be stored", async () => {
    const saved: RefusedOf[][] = [];
    let isAway = true;
    const buffer = new RefusedRequests(
      (refused) => {
        if (isAway) return Promise.reject(new Error("the database is away"));
        saved.push([...refused]);
        return Promise.resolve();
      },
      quiet,
      () => undefined,
    );
    for (let count = 0; count < maxWaitingOfBook + 5; count += 1) {
      buffer.record(refusedAt(new Date(), { principal: `maya ${String(count)}` }));
    }
    buffer.record(refusedAt(new Date(), { mode: "Live" }));
    await expect(buffer.saveWaiting()).rejects.toThrow("the database is away");
    isAway = false;
    await buffer.saveWaiting();
    await buffer.saveWaiting();
    expect(saved.map(({ length }) => length)).toEqual([101]);
  });

  it("takes few that are alike, so that a client in a loop leaves room for its book's others", async () => {
    const saved: RefusedOf[] = [];
    const save = async (refused: readonly RefusedOf[]) => void saved.push(...refused);
    const buffer = new RefusedRequests(save, quiet, () => undefined);
    for (let count = 0; count < 1_000; count += 1) buffer.record(refusedAt(new Date()));
    buffer.record(refusedAt(new Date(), { code: "not_found", status: 404 }));
    buffer.record(refusedAt(new Date(), { principal: "noor" }));
    buffer.record(refusedAt(new Date(), { apiKeyId: newId("key") }));
    await buffer.saveWaiting();
    expect(saved).toHaveLength(13);
    buffer.record(refusedAt(new Date()));
    await buffer.saveWaiting();
    expect(saved).toHaveLength(14);
  });
});
