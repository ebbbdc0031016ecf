import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KnipConfig } from "knip";

const has = (folder: string) => existsSync(join(import.meta.dirname, folder));
const hasDashboard = has("clients/dashboard");

/** Packages of the dashboard and its tests, which a checkout without them still has. */
const screenPackages = [
  "@base-ui/react",
  "@tanstack/react-query",
  "@tanstack/react-router",
  "@types/react",
  "@types/react-dom",
  "lucide-react",
  "react",
  "react-dom",
  "uplot",
];

const config: KnipConfig = {
  // Where running begins; everything else has to be reachable from here.
  entry: [
    "services/*/main.ts",
    "services/*/*.cli.ts",
    "scripts/*.ts",
    "scripts/build/{client,dashboard,services}.ts",
    "bench/*.ts",
    "**/*.spec.ts",
    ...(hasDashboard ? ["clients/dashboard/main.tsx"] : []),
  ],
  project: [
    "{contracts,services,scripts,test,bench}/**/*.ts",
    ...(hasDashboard ? ["clients/dashboard/**/*.{ts,tsx}"] : []),
  ],
  ignoreExportsUsedInFile: true,
  // Types are words of the contracts, wanted also where nobody says them yet.
  exclude: ["types", "nsTypes", "enumMembers"],
  // The Makefile's tools; and fastify, whose types come with, and whose version is chosen by, Nest's adapter; the
  // browser of test/browser, which is unpacked from its package; and the font, which a style sheet names.
  ignoreDependencies: [
    "@biomejs/biome",
    "dependency-cruiser",
    "oxlint",
    "oxlint-tsgolint",
    "fastify",
    "@redocly/cli",
    "@sparticuz/chromium",
    "@fontsource-variable/inter",
    ...(hasDashboard ? [] : screenPackages),
    ...(has("test/browser") ? [] : ["axe-core"]),
  ],
  ignoreBinaries: ["make"],
};

export default config;
