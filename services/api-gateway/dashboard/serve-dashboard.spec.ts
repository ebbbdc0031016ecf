import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { fastify as newFastify } from "fastify";
import { afterAll, describe, expect, it } from "vitest";
import { serveDashboard } from "./serve-dashboard.ts";

const folder = await mkdtemp(join(tmpdir(), "quittance-dashboard-"));
await mkdir(join(folder, "assets"));
await writeFile(join(folder, "index.html"), "<!doctype html><title>Quittance</title>");
await writeFile(join(folder, "assets/index-1a2b.js"), "start();");
await writeFile(join(folder, "assets/index-1a2b.js.br"), brotliCompressSync("start();"));
afterAll(() => rm(folder, { recursive: true }));

function gatewayWith(builtFolder: string) {
  const fastify = newFastify();
  serveDashboard(fastify, builtFolder);
  return (url: string, headers: Record<string, string> = {}) =>
    fastify.inject({ url, headers: { host: "pay.example", ...headers } });
}
const get = gatewayWith(folder);

describe("the dashboard's page", () => {
  it("is one for all addresses of both books", async () => {
    for (const path of ["/test/approvals", "/live/orders/po_1?status=Pending", "/test", "/live/"]) {
      const answer = await get(path);
      expect({ path, status: answer.statusCode, body: answer.body }).toEqual({
        path,
        status: 200,
        body: "<!doctype html><title>Quittance</title>",
      });
      expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    }
  });

  it("loads from its own host alone, runs nothing inline, and no page frames it", async () => {
    const { headers } = await get("/test/approvals");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  it("is asked for each time, and sent again only when it has changed", async () => {
    const { headers } = await get("/test/approvals");
    expect(headers["cache-control"]).toBe("no-cache");
    const again = await get("/test/orders", { "if-none-match": String(headers.etag) });
    expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: "" });
  });

  it("is that of the newest build, also where the gateway has run since before it", async () => {
    const rebuilt = await mkdtemp(join(tmpdir(), "quittance-rebuilt-"));
    await mkdir(join(rebuilt, "assets"));
    await writeFile(join(rebuilt, "index.html"), "old");
    const getRebuilt = gatewayWith(rebuilt);
    expect((await getRebuilt("/test")).body).toBe("old");
    await writeFile(join(rebuilt, "index.html"), "new");
    await utimes(join(rebuilt, "index.html"), 1, 1);
    expect((await getRebuilt("/test")).body).toBe("new");
    await rm(join(rebuilt, "index.html"));
    expect((await getRebuilt("/test")).body).toBe("new");
    await rm(rebuilt, { recursive: true });
  });

  it("is reached from / at the first page", async () => {
    const answer = await get("/");
    expect([answer.statusCode, answer.headers.location]).toEqual([302, "/test/approvals"]);
  });

  it("moves from 127.0.0.1 to localhost, because browsers refuse passkeys on an address", async () => {
    const host = "127.0.0.1:4600";
    expect((await get("/", { host })).headers.location).toBe("http://localhost:4600/test/approvals");
    expect((await get("/live/orders?rail=Wire", { host })).headers.location).toBe(
      "http://localhost:4600/live/orders?rail=Wire",
    );
    expect((await get("/", { host: "127.0.0.1.evil.example" })).headers.location).toBe("/test/approvals");
  });
});

describe("an asset", () => {
  it("never changes under its name, and comes compressed as it was built", async () => {
    const plain = await get("/assets/index-1a2b.js");
    expect([plain.statusCode, plain.body]).toEqual([200, "start();"]);
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const brotli = await get("/assets/index-1a2b.js", { "accept-encoding": "br" });
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotli.rawPayload).toEqual(brotliCompressSync("start();"));
  });

  it("outside the folder is not served", async () => {
    for (const path of ["/assets/../index.html", "/assets/%2e%2e/index.html", "/assets/none.js"])
      expect((await get(path)).statusCode, path).toBe(404);
  });
});

it("is absent without a build: its paths are 404, and the gateway starts", async () => {
  const without = gatewayWith(join(folder, "nowhere"));
  for (const path of ["/", "/test/approvals", "/assets/index-1a2b.js"])
    expect((await without(path)).statusCode, path).toBe(404);
});
