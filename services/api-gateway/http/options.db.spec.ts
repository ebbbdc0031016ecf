import { describe, expect, it } from "vitest";
import { ListOrders } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();
await gateway.owner(ListOrders, () => ({ data: [], nextCursor: null, hasMore: false }));
const seat = await sitDown(gateway, await inviteTo(gateway)());

const headersOf = async (answered: ReturnType<typeof gateway.call>) => {
  const { status, headers } = await answered;
  return [status, headers.get("cache-control"), headers.get("x-content-type-options")];
};

describe("every answer", () => {
  it("to a session or a key stays in no cache, and is never taken for another type", async () => {
    const read = (how: object) => headersOf(gateway.call("GET", "/v1/payment-orders", how));
    expect(await read({ headers: seat.headers })).toEqual([200, "no-store", "nosniff"]);
    expect(await read({ key })).toEqual([200, "no-store", "nosniff"]);
    expect(await headersOf(gateway.call("GET", "/auth/passkeys", { headers: seat.headers }))).toEqual([
      200,
      "no-store",
      "nosniff",
    ]);
  });

  it.each([
    ["a refusal", "/v1/payment-orders", 401],
    ["an unknown path", "/nothing", 404],
    ["a path that can't be read", "/v1/%zz", 400],
  ])("that is %s does so, too", async (_what, path, status) => {
    expect(await headersOf(gateway.call("GET", path))).toEqual([status, "no-store", "nosniff"]);
  });

  it.each(["/v1/openapi.json", "/docs", "/errors/not_found"])(
    "that is a document for everybody is kept, and asked for each time: %s",
    async (path) => {
      const first = await gateway.call("GET", path);
      expect(first.headers.get("cache-control")).toBe("no-cache");
      const headers = { "if-none-match": first.headers.get("etag") ?? "" };
      expect(await headersOf(gateway.call("GET", path, { headers }))).toEqual([304, "no-cache", "nosniff"]);
    },
  );

  it.each(["/v1/openapi.json", "/docs", "/changelog", "/errors/not_found", "/v1/payment-orders"])(
    "names no page to those that it links to: %s",
    async (path) => {
      expect((await gateway.call("GET", path)).headers.get("referrer-policy")).toBe("no-referrer");
    },
  );
});
