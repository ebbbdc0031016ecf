/**
 * Builds clients/dashboard into dist/dashboard, each file also as brotli and gzip. With the argument `watch` it serves
 * the sources instead, with the API of `make start` behind them. In a checkout without these sources it removes what
 * was built before: the gateway serves whatever is there.
 */
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { argv } from "node:process";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build, createServer, type InlineConfig } from "vite";
import { putInPlace } from "./put-in-place.ts";

const root = join(import.meta.dirname, "../..");
const sources = join(root, "clients/dashboard");
const folder = join(root, "dist/dashboard");
const built = join(folder, ".next");
const api = `http://localhost:${process.env["API_PORT"] ?? "4600"}`;
/** A cookie counts only with the API's own origin. */
const proxy = { target: api, changeOrigin: true, headers: { origin: api } };

const config: InlineConfig = {
  configFile: false,
  root: sources,
  logLevel: "warn",
  plugins: [react()],
  build: {
    outDir: built,
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    // The page's policy lets nothing be inline, fonts and icons included.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file for what six screens or more share. Without it a screen needs 30 files, most of them under 2 kB.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 6 }] } } },
  },
  server: { proxy: { "/v1": proxy, "/auth": proxy } },
};

if (!existsSync(sources)) {
  await rm(folder, { recursive: true, force: true });
} else if (argv[2] === "watch") {
  const server = await createServer(config);
  await server.listen();
  server.printUrls();
} else {
  await build(config);
  await compressAll();
  await putInPlace({ built, folder });
}

/** Fonts are compressed by their format. */
async function compressAll(): Promise<void> {
  const names = await readdir(built, { recursive: true });
  await Promise.all(
    names
      .filter((name) => /\.(js|css|html|svg)$/.test(name))
      .map(async (name) => {
        const file = join(built, name);
        const bytes = await readFile(file);
        const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, best));
        await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }),
  );
}
