/** Checks the folder of each file of a service by its name and content. CONTRIBUTING.md has the rule in four lines. */
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Finding, isSpec, type Source } from "./source.ts";

/** The folders of each service, from the one that may import all others to the one that imports none. */
export const capabilities = JSON.parse(
  readFileSync(new URL("./capabilities.json", import.meta.url), "utf8"),
) as Readonly<Record<string, readonly string[]>>;

const maxSources = 12;
const maxReadmeLines = 30;
/**
 * Folders without the limit on sources: two kernels, and the dashboard's catalogue of texts with one file per screen.
 */
const largeFolders = new Set(["services/ledger/book", "services/orders/order", "clients/dashboard/texts"]);

/** Subfolders that a capability may have. */
const innerFolders = new Set(["domain", "store", "testdata"]);
/**
 * Folders with further parts: the book's decisions, HTTP routes and the document's texts, the webhooks' HTTP client,
 * how a transaction's statements are sent.
 */
const innerExceptions = new Set([
  "services/ledger/book/decide",
  "services/api-gateway/routes/ledger",
  "services/api-gateway/routes/payments",
  "services/api-gateway/routes/sandbox",
  "services/api-gateway/routes/webhooks",
  "services/api-gateway/document/texts",
  "services/webhooks/deliveries/http",
  "services/platform/persistence/migrations",
  "services/platform/persistence/statements",
]);

const rootNames = /^(main|config|entities|[a-z-]+\.module|[a-z-]+\.cli)\.ts$/;
/** Root files that several capabilities import and that are too small for a folder. */
const rootExceptions = new Set(["services/api-gateway/install.ts", "services/webhooks/process-clock.ts"]);

const entrances = [
  { suffix: ".handler.ts", uses: /^\s*@HandlesRequest\(/m, what: "answers a request (@HandlesRequest)" },
  { suffix: ".consumer.ts", uses: /^\s*@Consumes\(/m, what: "takes messages (@Consumes)" },
  { suffix: ".worker.ts", uses: /\bextends PollingWorker\b/, what: "runs by the clock (PollingWorker)" },
] as const;

/** Every file in a wrong folder, and every folder with too many. Give it all files of the repository. */
export function checkLayout(sources: readonly Source[]): Finding[] {
  const inServices = sources.filter(({ path }) => path.startsWith("services/"));
  return [
    ...inServices.flatMap(checkFolder),
    ...inServices.flatMap(checkEntrance),
    ...checkSizes(
      sources.filter(({ path }) => /^(services|clients\/dashboard|scripts|test|bench)\//.test(path)),
    ),
    ...checkSpecs(inServices),
    ...checkReadmes(inServices),
  ];
}

function checkFolder({ path }: Source): Finding[] {
  if (!path.endsWith(".ts")) return [];
  const [, service = "", ...rest] = path.split("/");
  const folders = capabilities[service];
  if (folders === undefined) {
    return [
      { path, message: `${service} has no folders in scripts/checks/capabilities.json: list them there` },
    ];
  }
  if (rest.length === 1) return checkRootFile(path, service);
  const [capability = "", ...inside] = rest;
  // Specs of a whole schema are beside the migrations that make it.
  if (capability === "store" && isSpec(path)) return [];
  if (!folders.includes(capability)) {
    const message = `${capability}/ is no capability of ${service}. Move the file into ${folders.join(", ")}; or add the folder to scripts/checks/capabilities.json, above all that it imports`;
    return [{ path, message }];
  }
  const folder = dirname(path);
  if (inside.length === 1 || innerExceptions.has(folder)) return [];
  if (inside.length === 2 && innerFolders.has(inside[0] ?? "")) return [];
  const message = `a capability has domain/ (pure rules), store/ (SQL) and testdata/ inside, no deeper: move the file up, or name ${folder} in innerExceptions of scripts/checks/layout.ts and say why`;
  return [{ path, message }];
}

function checkRootFile(path: string, service: string): Finding[] {
  const isFine =
    service === "platform" || isSpec(path) || rootNames.test(basename(path)) || rootExceptions.has(path);
  if (isFine) return [];
  const message = `beside main.ts there are only config.ts, entities.ts and the module: move the file into the capability that it belongs to`;
  return [{ path, message }];
}

function checkEntrance({ path, text }: Source): Finding[] {
  if (!path.endsWith(".ts") || isSpec(path) || path.startsWith("services/platform/")) return [];
  return entrances.flatMap(({ suffix, uses, what }) => {
    if (uses.test(text) && !path.endsWith(suffix)) {
      return [{ path, message: `it ${what}: end its name in ${suffix}, or split that part off` }];
    }
    if (!uses.test(text) && path.endsWith(suffix)) {
      return [{ path, message: `${suffix} says that it ${what}, and it does not: drop the suffix` }];
    }
    return [];
  });
}

function checkSizes(sources: readonly Source[]): Finding[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    if (/\.tsx?$/.test(path) && !isSpec(path)) {
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    }
  }
  return [...counts].flatMap(([path, count]) => {
    if (count <= maxSources || largeFolders.has(path)) return [];
    const message = `${String(count)} sources, at most ${String(maxSources)}: split it by subject`;
    return [{ path: `${path}/`, message }];
  });
}

/**
 * A pure spec is beside the file that it is named after, or above it in the same capability. A spec with a database
 * may be about a whole capability, so it only needs sources or migrations beside it or below.
 */
function checkSpecs(sources: readonly Source[]): Finding[] {
  const specified = sources.filter(({ path }) => !isSpec(path)).map(({ path }) => path);
  return sources.flatMap(({ path }) => {
    if (!isSpec(path)) return [];
    const beside = `${dirname(path)}/`;
    if (!specified.some((one) => one.startsWith(beside))) {
      return [{ path, message: "no source beside it: move the spec to the folder of what it specifies" }];
    }
    if (path.endsWith(".db.spec.ts")) return [];
    const service = path.split("/").slice(0, 2).join("/");
    const named = specified.filter(
      (one) => one.startsWith(`${service}/`) && subjectOf(one) === subjectOf(path),
    );
    if (named.length === 0 || named.some((one) => one.startsWith(beside))) return [];
    return [{ path, message: `it is named after ${named.join(" and ")}: move it there` }];
  });
}

/** A newcomer reads it at once: the details are in documents of their own. */
function checkReadmes(sources: readonly Source[]): Finding[] {
  return sources.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split("\n").length;
    if (basename(path) !== "README.md" || lines <= maxReadmeLines) return [];
    const message = `${String(lines)} lines, at most ${String(maxReadmeLines)}: move details to ARCHITECTURE.md or docs/`;
    return [{ path, message }];
  });
}

/** `create-order` of `create-order.handler.ts`, `create-order.db.spec.ts` and `create-order.ts`. */
function subjectOf(path: string): string {
  return basename(path).replace(/\..*$/, "");
}
