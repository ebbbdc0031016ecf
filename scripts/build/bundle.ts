import { join } from "node:path";
import { type Plugin, rolldown, type RolldownBuild } from "rolldown";

const root = join(import.meta.dirname, "../..");

/** The five services, as the image has them. */
export const services = ["api-gateway", "orders", "ledger", "rails-simulator", "webhooks"].map(
  (service) => `services/${service}/main`,
);

/** What else has decorators, which Node can't run from sources. */
export const programs = [
  "services/api-gateway/openapi.cli",
  "bench/workers/row-poster",
  "bench/workers/ledger-loader",
];

/** These read files that lie beside their code, or are native code, so that they stay packages. */
const unbundled = [/^@node-rs\//, /^@scalar\//, /^pino$/];

/** Leaves packages out of the source maps: Node reads a map whole, a service's own at its start. */
const withoutSourceMaps: Plugin = {
  name: "without-source-maps",
  transform: {
    filter: { id: /\/node_modules\// },
    handler: (code) => ({ code, map: { mappings: "" } }),
  },
};

/** Reads these programs and all that they import, packages too. Throws for whatever the bundler warns of. */
export function readPrograms(entries: readonly string[]): Promise<RolldownBuild> {
  return rolldown({
    cwd: root,
    platform: "node",
    input: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
    external: unbundled,
    plugins: [withoutSourceMaps],
    onLog(level, { code, message }) {
      // Nest and pg try to load packages that are optional, and do without those that are not installed.
      if (code === "UNRESOLVED_IMPORT" && message.includes("node_modules/")) return;
      throw new Error(`${level}: ${message}`);
    },
  });
}

/** Writes them to dist/, in a few files that they share. */
export async function writePrograms(entries: readonly string[]): Promise<void> {
  const build = await readPrograms(entries);
  await build.write({
    dir: join(root, "dist"),
    format: "esm",
    sourcemap: true,
    // Nest's decorators need what a module that is imported before them has done.
    strictExecutionOrder: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
}
