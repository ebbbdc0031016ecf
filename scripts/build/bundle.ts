import { globSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Plugin, rolldown, type RolldownBuild } from "rolldown";
import { putInPlace } from "./put-in-place.ts";

const root = join(import.meta.dirname, "../..");

/** The five services, as the image has them. */
export const services = globSync("services/*/main.ts", { cwd: root }).map((path) =>
  path.replace(/\.ts$/, ""),
);

/** Other programs with decorators, which Node can't run from sources. */
export const programs = [
  "services/api-gateway/openapi.cli",
  "bench/workers/row-poster",
  "bench/workers/ledger-loader",
];

/** Not bundled: they read files beside their own code, or are native code. */
const unbundled = [/^@node-rs\//, /^@scalar\//, /^koffi$/, /^pino$/];

/** Nest tries to load these, and does without those that are not installed. */
const optional = new Set([
  "@fastify/multipart",
  "@fastify/view",
  "@nestjs/platform-express",
  "@nestjs/websockets/socket-module.js",
  "amqp-connection-manager",
  "class-transformer",
  "class-validator",
  "ioredis",
  "kafkajs",
  "mqtt",
]);

/** Leaves packages out of the source maps. Node reads a whole map at once, a service's own at its start. */
const withoutSourceMaps: Plugin = {
  name: "without-source-maps",
  transform: {
    filter: { id: /\/node_modules\// },
    handler: (code) => ({ code, map: { mappings: "" } }),
  },
};

/**
 * A bundler for these programs and everything they import, packages included. It reads nothing until `generate` or
 * `write`, which throw for whatever the bundler logs. The caller closes it.
 */
export function bundlerFor(entries: readonly string[]): Promise<RolldownBuild> {
  return rolldown({
    cwd: root,
    platform: "node",
    input: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
    external: unbundled,
    plugins: [withoutSourceMaps],
    onLog(level, { code, message }) {
      const [, missing = ""] = /Could not resolve '([^']+)'/.exec(message) ?? [];
      if (code === "UNRESOLVED_IMPORT" && optional.has(missing)) return;
      throw new Error(`${level}: ${message}`);
    },
  });
}

/** Bundles these programs into dist/, with chunks that they share. What runs from there goes on. */
export async function writeBundles(entries: readonly string[]): Promise<void> {
  const folder = join(root, "dist");
  const built = join(folder, ".next");
  await rm(built, { recursive: true, force: true });
  await using bundler = await bundlerFor(entries);
  await bundler.write({
    dir: built,
    format: "esm",
    sourcemap: true,
    // The paths of the sources from the place where the maps are put.
    sourcemapPathTransform: (path) => path.replace("../", ""),
    // Otherwise Nest's decorators would run before reflect-metadata, which they need.
    strictExecutionOrder: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
  await putInPlace({ built, folder, others: ["dashboard"] });
}
