/**
 * Provokes every error code over HTTP and compares the whole answer with its entry in docs/errors.md, except for ids
 * and dates. `WRITE_ERRORS=1` updates the page with the answers: read the diff before you commit it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../contracts/errors.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { AnswerChecker } from "./answers.ts";
import { type OpenApi, readDocument } from "./document.ts";
import { observe } from "./observe.ts";
import { refusalCases } from "./refusals/refusal-cases.ts";
import { Scenario, type Answered } from "./refusals/scenario.ts";

const pageUrl = new URL("../../docs/errors.md", import.meta.url);
let page = readFileSync(pageUrl, "utf8");
const entryOf = (code: string) => new RegExp(`(### ${code}\\n[^]*?\`\`\`json\\n)([^]*?)(\`\`\`)`);
const documented = (code: string) => JSON.parse(entryOf(code).exec(page)?.[2] ?? "null") as unknown;

const scenario = await forThisFile(Scenario.open());
const document = await readDocument(`${scenario.world.baseUrl()}/v1/openapi.json`);
afterAll(async () => {
  if (process.env["WRITE_ERRORS"] === "1") writeFileSync(pageUrl, page);
});

/** The answer with the page's ids and dates in place of those of this run. */
function asOnThePage(answered: Answered): Record<string, unknown> {
  const dates = ["2026-03-02", "2027-03-03"];
  const seen = new Map<string, string>();
  const text = JSON.stringify(answered)
    .replaceAll(/\breq_[0-9a-hjkmnp-tv-z]{26}\b/g, "req_01jd3k60a2f8x9t4c1v5b7w3me")
    .replaceAll(/\b(?!req_)([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, "$1_01jd3k5s8ye9v8z2r0q3m7n4xa")
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, (date) => {
      const shown = seen.get(date) ?? dates[seen.size] ?? "";
      seen.set(date, shown);
      return shown;
    });
  return JSON.parse(text) as Record<string, unknown>;
}

/** Standard members first, then the code's own. */
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
  it.each(Object.entries(refusalCases))(
    "%s has the answer that docs/errors.md shows",
    async (code, provoke) => {
      const answered = asOnThePage(await provoke(scenario));
      expect(answered).toMatchObject({ code, ...errorCatalogue[code as ErrorCode] });
      if (process.env["WRITE_ERRORS"] === "1") {
        page = page.replace(
          entryOf(code),
          (_all, head: string, _old, end: string) =>
            `${head}${JSON.stringify(inOrder(answered), undefined, 2)}\n${end}`,
        );
      }
      expect(answered).toEqual(documented(code));
    },
  );

  it("has a refusal case", () => {
    expect(Object.keys(refusalCases).toSorted()).toEqual(Object.keys(errorCatalogue).toSorted());
  });
});

describe("the check of every answer", () => {
  it("fails a call whose answer differs from the document", async () => {
    const schemas = structuredClone(document.components.schemas) as Record<
      string,
      { properties: object; required: string[] }
    >;
    Reflect.deleteProperty(schemas["LedgerAccount"]!.properties, "overdraft");
    schemas["LedgerAccount"]!.required = schemas["LedgerAccount"]!.required.filter(
      (name) => name !== "overdraft",
    );
    const planted = { ...document, components: { ...document.components, schemas } } as OpenApi;
    const plain = await fetch(
      `${scenario.world.baseUrl()}/v1/ledger-accounts/${scenario.accounts.operating}`,
      { headers: { "x-api-key": scenario.world.tenant.keys.maker } },
    );
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

  it("has compared every answer of this file", () => {
    expect(scenario.world.observation.checked).toBeGreaterThan(Object.keys(refusalCases).length);
  });
});
