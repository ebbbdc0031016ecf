import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCatalogue } from "./errors.ts";
import { problem } from "./http/problem.ts";

const page = readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8");
const entries = page
  .split(/^### /m)
  .slice(1)
  .map((entry) => ({
    code: entry.split("\n", 1)[0] ?? "",
    clears: /^\*\*What clears it\.\*\* .+/m.test(entry),
    example: problem.parse(JSON.parse(/```json\n([^]*?)```/.exec(entry)?.[1] ?? "null")),
  }));

describe("docs/errors.md", () => {
  it("has one entry for each code of the catalogue, in its order", () => {
    expect(entries.map(({ code }) => code)).toEqual(Object.keys(errorCatalogue));
  });

  it.each(entries)("shows $code as it is answered, and what clears it", ({ code, clears, example }) => {
    expect(example).toMatchObject({ code, ...errorCatalogue[code as keyof typeof errorCatalogue] });
    expect(example.type).toBe(`https://docs.quittance.example/errors/${code}`);
    expect(clears).toBe(true);
  });
});
