import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../platform/runtime/project-root.ts";

/** One answer per error code, read from `docs/errors.md`, so that examples are written in one file only. */
export function problemExamples(): Record<string, { summary: string; value: object }> {
  const page = readFileSync(join(projectRoot, "docs/errors.md"), "utf8");
  const entries = page.matchAll(/^### (\w+)$[^]*?```json\n([^]*?)```/gm);
  return Object.fromEntries(
    [...entries].map(([, code = "", example = ""]) => {
      const value = JSON.parse(example) as { title: string };
      return [code, { summary: value.title, value }];
    }),
  );
}
