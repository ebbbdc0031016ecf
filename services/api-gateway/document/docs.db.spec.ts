import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue, Refusal } from "../../../contracts/errors.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();

describe("the reference page", () => {
  it("needs no key, and reads the document of this host", async () => {
    const page = await gateway.call("GET", "/docs");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.text).toContain('"url": "/v1/openapi.json"');
  });

  it("loads nothing from another host", async () => {
    const page = await gateway.call("GET", "/docs");
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(loaded).toEqual(["/docs/scalar.js"]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'nonce-");
    expect(policy).not.toMatch(/https?:|\*/);
    expect(page.text).toContain('"withDefaultFonts": false');
    expect(page.text).toContain('"telemetry": false');
    expect(page.text).toContain('"agent": {\n          "disabled": true');
  });

  it("allows only its own scripts, by a nonce that is different each time", async () => {
    const nonceOf = async () => {
      const page = await gateway.call("GET", "/docs");
      const nonce =
        /script-src 'nonce-([^']+)'/.exec(page.headers.get("content-security-policy") ?? "")?.[1] ?? "";
      const scripts = [...page.text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
      expect(scripts).toHaveLength(2);
      for (const tag of scripts) expect(tag).toContain(`nonce="${nonce}"`);
      return nonce;
    };
    expect(await nonceOf()).not.toBe(await nonceOf());
  });

  it("serves its script", async () => {
    const script = await gateway.call("GET", "/docs/scalar.js");
    expect(script.status).toBe(200);
    expect(script.headers.get("content-type")).toBe("application/javascript; charset=utf-8");
    expect(script.text.length).toBeGreaterThan(1_000_000);
  });
});

it("serves the changelog", async () => {
  const answer = await gateway.call("GET", "/changelog");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  expect(answer.text).toBe(readFileSync("CHANGELOG.md", "utf8"));
  expect(answer.text).toMatch(/^## \d{4}-\d{2}-\d{2}$/m);
});

describe.each(["/v1/openapi.json", "/docs", "/docs/scalar.js", "/changelog", "/errors", "/errors/not_found"])(
  "%s",
  (path) => {
    it("is sent once to a caller that keeps it: its ETag answers 304 without a body", async () => {
      const first = await gateway.call("GET", path);
      const tag = first.headers.get("etag") ?? "";
      expect(tag).toMatch(/^W\/"[\w-]{43}"$/);
      const again = await gateway.call("GET", path, { headers: { "if-none-match": tag } });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag]);
      const changed = await gateway.call("GET", path, { headers: { "if-none-match": 'W/"older"' } });
      expect([changed.status, changed.headers.get("etag")]).toEqual([200, tag]);
    });
  },
);

describe("the page of an error code", () => {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];

  it.each(codes)("%s is at the type of its problems, and says what clears it", async (code) => {
    await gateway.owner(GetOrder, () => {
      throw new Refusal(code, "Refused.");
    });
    const refused = await gateway.call("GET", "/v1/payment-orders/po_x", { key });
    const page = await gateway.call("GET", new URL(String(refused.body["type"])).pathname);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.text).toContain(`<h1>${code}</h1>`);
    expect(page.text).toContain("<strong>What clears it.</strong>");
    expect(page.text).toContain(`&quot;code&quot;: &quot;${code}&quot;`);
    // Nothing of the Markdown is left, and nothing of the next entry.
    expect(page.text).not.toMatch(/```|\*\*|^#/m);
  });

  it("is one of the list", async () => {
    const { text } = await gateway.call("GET", "/errors");
    const listed = [...text.matchAll(/href="\/errors\/(\w+)"/g)].map(([, code]) => code);
    expect(listed).toEqual(codes);
  });

  it("does not exist for a code that does not exist", async () => {
    const page = await gateway.call("GET", "/errors/no_such_code");
    expect(page.body).toMatchObject({ status: 404, code: "not_found" });
  });
});
