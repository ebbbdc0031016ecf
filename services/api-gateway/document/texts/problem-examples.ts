import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../platform/runtime/project-root.ts";

/** One answer per code of the catalogue, as `docs/errors.md` shows it: the page is the only place that has them. */
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
