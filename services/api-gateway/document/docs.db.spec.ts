import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/gateway.ts";

const gateway = await forThisFile(startGateway());

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
