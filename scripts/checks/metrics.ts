/** Checks that documents and alert rules name metrics, and labels of them, that the code has. */
import { type Finding, isSpec, linesOf, type Source } from "./source.ts";

/** Labels of each series, and the bound of a bucket of a histogram. */
const everyLabel = ["service", "instance", "job", "le"];
const rules = "deploy/alerts.yml";
const rows = "docs/operate/alerts.md";

const definition =
  /\.(counter|gauge|histogram)(?:<[^>]*>)?\(\s*"(\w+)",\s*(?:"[^"]*"|`[^`]*`)(?:,\s*\[([^\]]*)\])?/g;
/** The name as `metrics.ts` completes it, and labels in braces: `{stream}` or `{stream="CMD",outcome!="applied"}`. */
const mention = /\bquittance_(\w+)(?:\{([^}]*)\})?/g;

/** Each series' name without our prefix, with its labels. */
function seriesIn(sources: readonly Source[]): Map<string, readonly string[]> {
  const found = sources
    .filter(({ path }) => /^services\/.*\.ts$/.test(path) && !isSpec(path))
    .flatMap(({ text }) => [...text.matchAll(definition)])
    .flatMap(([, kind, name = "", labels = ""]) => {
      const own = [...labels.matchAll(/"(\w+)"/g)].map(([, label = ""]) => label);
      const names = kind === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name];
      return names.map((each) => [each, own] as const);
    });
  return new Map(found);
}

/** Names and labels of no metric, in Markdown and in the rules, and metrics of rules that no row explains. */
export function checkMetrics(sources: readonly Source[]): Finding[] {
  const series = seriesIn(sources);
  const explained = sources.find(({ path }) => path === rows)?.text ?? "";
  return sources
    .filter(({ path }) => path === rules || (path.endsWith(".md") && path !== "CHANGELOG.md"))
    .flatMap((source) =>
      linesOf(source).flatMap(({ line, text }) =>
        [...text.matchAll(mention)].flatMap(([, name = "", labels = ""]) => {
          const problem = problemOf(name, labels, series.get(name));
          const messages = problem === undefined ? [] : [problem];
          if (source.path === rules && !new RegExp(`quittance_${name}\\b`).test(explained))
            messages.push(`quittance_${name} has no row in ${rows}: say what to do`);
          return messages.map((message) => ({ path: source.path, line, message }));
        }),
      ),
    );
}

function problemOf(name: string, labels: string, known: readonly string[] | undefined): string | undefined {
  if (known === undefined) return `no service has the metric quittance_${name}`;
  const wrong = labels
    .replaceAll(/"[^"]*"/g, "")
    .split(",")
    .map((label) => /^\s*(\w+)/.exec(label)?.[1])
    .find((label) => label !== undefined && ![...known, ...everyLabel].includes(label));
  return wrong === undefined ? undefined : `quittance_${name} has no label ${wrong}`;
}
