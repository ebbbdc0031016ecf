import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const rulesFile = ".dependency-cruiser.cjs";

interface Cruise {
  modules: { source: string }[];
  summary: { violations: { from: string; to: string; rule: { name: string } }[] };
}

/** Runs the tool of `make check`, and returns its findings instead of an exit code. */
async function cruise(cwd: string, folders: string[]): Promise<Cruise> {
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const args = [program, "--config", rulesFile, "--output-type", "json", ...folders];
  const finished = await run(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }).catch(
    // It exits with the number of violations, and still prints its findings.
    (error: Error & { stdout?: string }) => {
      if (!error.stdout) throw error;
      return { stdout: error.stdout };
    },
  );
  return JSON.parse(finished.stdout) as Cruise;
}

describe("the architecture of this repository", () => {
  let ours: Cruise;
  beforeAll(async () => {
    ours = await cruise(root, ["contracts", "services", "scripts", "test", "clients"]);
  });

  it("breaks none of its rules", () => {
    expect(ours.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
  });

  it("was read: a tool that can't parse TypeScript would read nothing and find nothing", () => {
    const sources = ours.modules
      .map(({ source }) => source)
      .filter((source) => !source.includes("node_modules"));
    expect(sources.length).toBeGreaterThan(120);
    expect(sources).toContain("services/platform/outbox/outbox.ts");
    expect(sources).toContain("contracts/message.ts");
  });
});

/** The services with a pure folder, a capability that may import others, and one below it. */
const layouts = [
  { service: "ledger", pure: "book", upper: "transactions", lower: "posting", bottom: "book" },
  { service: "orders", pure: "order", upper: "requests", lower: "lifecycle", bottom: "order" },
  {
    service: "webhooks",
    pure: "deliveries/domain",
    upper: "sinks",
    lower: "deliveries",
    bottom: "endpoints",
  },
  {
    service: "rails-simulator",
    pure: "instructions/domain",
    upper: "injections",
    lower: "statements",
    bottom: "instructions",
  },
  { service: "api-gateway", pure: "keys/domain", upper: "routes", lower: "keys", bottom: "http" },
] as const;

/** A tree that keeps every rule, and for each rule files that break it. */
const lawfulFiles: Record<string, string> = {
  "contracts/order.ts": "export const order = 1;",
  "contracts/ids/ids.ts": 'export { uuidv7 } from "uuid"; export * from "typeid-js";',
  "services/platform/runtime/clock.ts": "export const clock = 1;",
  "services/platform/rpc/server.ts": 'export * from "../runtime/clock.ts";',
  "services/ledger/ledger.module.ts": 'export { MikroORM } from "@mikro-orm/postgresql";',
  "services/ledger/posting/hen.ts": 'export * from "./egg.ts";',
  "clients/typescript/client.ts": "export const client = 1;",
  "clients/dashboard/page.tsx":
    'export * from "../typescript/client.ts"; export * from "../../contracts/order.ts"; export { of } from "rxjs";',
  "clients/backend/quittance.ts": 'export { randomUUID } from "node:crypto";',
  "test/world.ts": "export const world = 1;",
  ...Object.fromEntries(
    layouts.flatMap(({ service, pure, upper, lower }) => [
      [`services/${service}/${pure}/rule.ts`, "export const rule = 1;"],
      [`services/${service}/${lower}/store/rows.ts`, 'export { MikroORM } from "@mikro-orm/postgresql";'],
      [
        `services/${service}/${lower}/step.ts`,
        `export * from "../${pure}/rule.ts"; export * from "./store/rows.ts";`,
      ],
      [`services/${service}/${upper}/entrance.ts`, `export * from "../${lower}/step.ts";`],
    ]),
  ),
};

const inEveryService = layouts.flatMap(({ service, pure, upper, lower, bottom }) => {
  const other =
    service === "ledger" ? { service: "orders", pure: "order" } : { service: "ledger", pure: "book" };
  const up = "../".repeat(pure.split("/").length);
  return [
    { rule: "domain-is-pure", file: `${pure}/disk.ts`, text: 'export * from "node:fs";' },
    {
      rule: "domain-is-pure",
      file: `${pure}/framework.ts`,
      text: 'export { Injectable } from "@nestjs/common";',
    },
    { rule: "domain-is-pure", file: `${pure}/step.ts`, text: `export * from "${up}${upper}/entrance.ts";` },
    {
      rule: "domain-stays-at-home",
      file: `${pure}/borrowed.ts`,
      text: `export * from "${up}../${other.service}/${other.pure}/rule.ts";`,
    },
    {
      rule: "services-meet-in-contracts",
      file: `${upper}/shortcut.ts`,
      text: `import type {} from "../../${other.service}/${other.pure}/rule.ts";`,
    },
    {
      rule: "capabilities-point-down",
      file: `${lower}/up.ts`,
      text: `export * from "../${upper}/entrance.ts";`,
    },
    {
      rule: "capabilities-point-down",
      file: `${bottom}/up.ts`,
      text: `export * from "../${upper}/entrance.ts";`,
    },
    { rule: "store-imports-no-step", file: `${lower}/store/step.ts`, text: 'export * from "../step.ts";' },
    {
      rule: "sql-lives-in-store",
      file: `${upper}/orm.ts`,
      text: 'export { MikroORM } from "@mikro-orm/postgresql";',
    },
    {
      rule: "sql-lives-in-store",
      file: `${upper}/raw.ts`,
      text: 'import pg from "pg"; export const client = pg;',
    },
  ].map(({ file, ...violation }) => ({ ...violation, file: `services/${service}/${file}` }));
});

const violations: { rule: string; file: string; text: string }[] = [
  ...inEveryService,
  {
    rule: "capabilities-point-down",
    file: "services/platform/runtime/up.ts",
    text: 'export * from "../rpc/server.ts";',
  },
  {
    rule: "platform-knows-no-service",
    file: "services/platform/favourite.ts",
    text: 'export * from "../ledger/book/rule.ts";',
  },
  { rule: "contracts-stand-alone", file: "contracts/framework.ts", text: 'export { of } from "rxjs";' },
  {
    rule: "contracts-stand-alone",
    file: "contracts/inward.ts",
    text: 'export * from "../services/platform/runtime/clock.ts";',
  },
  {
    rule: "contracts-two-exceptions",
    file: "contracts/rails/banking-calendar.ts",
    text: 'export { of } from "rxjs";',
  },
  { rule: "no-cycles", file: "services/ledger/posting/egg.ts", text: 'export * from "./hen.ts";' },
  {
    rule: "clients-speak-http",
    file: "clients/dashboard/shortcut.tsx",
    text: 'export * from "../../services/ledger/book/rule.ts";',
  },
  {
    rule: "callers-copy-one-file",
    file: "clients/backend/shortcut.ts",
    text: 'export { of } from "rxjs";',
  },
  {
    rule: "services-know-no-client",
    file: "services/ledger/posting/screen.ts",
    text: 'export * from "../../../clients/dashboard/page.tsx";',
  },
  {
    rule: "code-does-not-import-tests",
    file: "services/ledger/posting/tested.ts",
    text: 'export * from "../../../test/world.ts";',
  },
  {
    rule: "nothing-unresolved",
    file: "services/ledger/posting/typo.ts",
    text: 'export * from "./jurnals.ts";',
  },
];

describe("a planted violation", () => {
  let planted: Cruise;
  beforeAll(async () => {
    const tree = await mkdtemp(join(tmpdir(), "quittance-architecture-"));
    try {
      for (const [file, text] of Object.entries(lawfulFiles)) await plant(tree, file, text);
      for (const { file, text } of violations) await plant(tree, file, text);
      for (const file of [rulesFile, "scripts/checks/capabilities.json", "tsconfig.json", "package.json"])
        await cp(join(root, file), join(tree, file), { recursive: true });
      await symlink(join(root, "node_modules"), join(tree, "node_modules"));
      planted = await cruise(tree, ["contracts", "services", "test", "clients"]);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  });

  it.each(violations)("of $rule in $file is found", ({ rule, file }) => {
    const caught = planted.summary.violations
      .filter(({ from }) => from === file)
      .map((found) => found.rule.name);
    expect(caught).toContain(rule);
  });

  it("is all that is found", () => {
    const broken = new Set(planted.summary.violations.map(({ from }) => from));
    expect(Object.keys(lawfulFiles).filter((file) => broken.has(file))).toEqual([]);
  });

  it("exists for each rule", async () => {
    const rules = (await import(join(root, rulesFile))) as { default: { forbidden: { name: string }[] } };
    expect(new Set(violations.map(({ rule }) => rule))).toEqual(
      new Set(rules.default.forbidden.map(({ name }) => name)),
    );
  });
});

async function plant(tree: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, file)), { recursive: true });
  await writeFile(join(tree, file), `${text}\n`);
}
