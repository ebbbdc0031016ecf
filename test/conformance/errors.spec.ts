/**
 * Provokes every code of the catalogue over HTTP, and compares the whole answer with its entry in docs/errors.md, ids
 * and dates aside. `WRITE_ERRORS=1` writes what was answered into the page, to be read before it is committed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../contracts/errors.ts";
import { AnswerChecker } from "./answers.ts";
import type { OpenApi } from "./document.ts";
import { observe } from "./observe.ts";
import { provocations } from "./provocations.ts";
import { Scene, type Told } from "./scene.ts";

const place = new URL("../../docs/errors.md", import.meta.url);
let page = readFileSync(place, "utf8");
const entryOf = (code: string) => new RegExp(`(### ${code}\\n[^]*?\`\`\`json\\n)([^]*?)(\`\`\`)`);
const documented = (code: string) => JSON.parse(entryOf(code).exec(page)?.[2] ?? "null") as unknown;

let scene: Scene;
let document: OpenApi;
beforeAll(async () => {
  scene = await Scene.open();
  document = (await (await fetch(`${scene.world.baseUrl()}/v1/openapi.json`)).json()) as OpenApi;
});
afterAll(async () => {
  if (process.env["WRITE_ERRORS"] === "1") writeFileSync(place, page);
  await scene.close();
});

/** The answer with the ids and dates that the page uses: those of a run tell nobody anything. */
function asOnThePage(told: Told): Record<string, unknown> {
  const dates = ["2026-03-02", "2027-03-03"];
  const seen = new Map<string, string>();
  const text = JSON.stringify(told)
    .replaceAll(/\breq_[0-9a-hjkmnp-tv-z]{26}\b/g, "req_01jd3k60a2f8x9t4c1v5b7w3me")
    .replaceAll(/\b(?!req_)([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, "$1_01jd3k5s8ye9v8z2r0q3m7n4xa")
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, (date) => {
      const shown = seen.get(date) ?? dates[seen.size] ?? "";
      seen.set(date, shown);
      return shown;
    });
  return JSON.parse(text) as Record<string, unknown>;
}

/** Standard members first, then what the code brings of its own. */
function inOrder({
  type,
  title,
  status,
  detail,
  instance,
  code,
  requestId,
  retryable,
  errors,
  ...context
}: Record<string, unknown>) {
  return { type, title, status, detail, instance, code, requestId, retryable, errors, ...context };
}

describe("every code of the catalogue", () => {
  it.each(Object.entries(provocations))("%s is answered as its page shows it", async (code, provoke) => {
    const answered = asOnThePage(await provoke(scene));
    expect(answered).toMatchObject({ code, ...errorCatalogue[code as ErrorCode] });
    if (process.env["WRITE_ERRORS"] === "1") {
      page = page.replace(
        entryOf(code),
        (_all, head: string, _old, end: string) =>
          `${head}${JSON.stringify(inOrder(answered), undefined, 2)}\n${end}`,
      );
    }
    expect(answered).toEqual(documented(code));
  });

  it("is provoked here", () => {
    expect(Object.keys(provocations).toSorted()).toEqual(Object.keys(errorCatalogue).toSorted());
  });
});

describe("the check under every call", () => {
  it("fails a call whose answer the document does not foresee", async () => {
    const schemas = structuredClone(document.components.schemas) as Record<
      string,
      { properties: object; required: string[] }
    >;
    Reflect.deleteProperty(schemas["LedgerAccount"]!.properties, "overdraft");
    schemas["LedgerAccount"]!.required = schemas["LedgerAccount"]!.required.filter(
      (name) => name !== "overdraft",
    );
    const planted = { ...document, components: { ...document.components, schemas } } as OpenApi;
    const plain = await fetch(`${scene.world.baseUrl()}/v1/ledger-accounts/${scene.accounts.operating}`, {
      headers: { "x-api-key": scene.world.tenant.keys.maker },
    });
    const seen = {
      method: "GET",
      path: new URL(plain.url).pathname,
      status: plain.status,
      headers: plain.headers,
      text: await plain.text(),
    };
    expect(new AnswerChecker(document).faultsOf(seen)).toEqual([]);
    expect(new AnswerChecker(planted).faultsOf(seen).join()).toContain(
      "must NOT have additional properties (overdraft)",
    );
    const watched = observe(
      (input) =>
        Promise.resolve(
          String(input as string).endsWith("openapi.json")
            ? Response.json(planted)
            : new Response(seen.text, seen),
        ),
      () => true,
    );
    await expect(watched.fetch(plain.url)).rejects.toThrow("overdraft");
  });

  it("has compared what this file asked", () => {
    expect(scene.world.observation.checked).toBeGreaterThan(Object.keys(provocations).length);
  });
});
