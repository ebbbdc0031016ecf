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

/** What `make check` runs, with its findings as data instead of an exit code. */
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
    ours = await cruise(root, ["contracts", "services", "scripts", "test"]);
  });

  it("breaks none of its rules", () => {
    expect(ours.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
  });

  it("was really read: a tool that understands no TypeScript reads nothing and finds nothing", () => {
    const sources = ours.modules
      .map(({ source }) => source)
      .filter((source) => !source.includes("node_modules"));
    expect(sources.length).toBeGreaterThan(120);
    expect(sources).toContain("services/platform/messaging/outbox.ts");
    expect(sources).toContain("contracts/message.ts");
  });
});

/** One lawful tree, and for each rule one file that breaks it. */
const plantedFiles: Record<string, string> = {
  "contracts/order.ts": "export const order = 1;",
  "contracts/ids.ts": 'export { uuidv7 } from "uuid"; export * from "typeid-js";',
  "services/platform/clock.ts": "export const clock = 1;",
  "services/ledger/domain/apply.ts": 'export { order } from "../../../contracts/order.ts";',
  "services/ledger/write-journals.ts":
    'export * from "./domain/apply.ts"; export * from "../platform/clock.ts";',
  "services/ledger/store/journals.ts": 'export { MikroORM } from "@mikro-orm/postgresql";',
  "services/ledger/ledger.module.ts": 'export { MikroORM } from "@mikro-orm/postgresql";',
  "services/ledger/hen.ts": 'export * from "./egg.ts";',
  "test/world.ts": "export const world = 1;",
};

const violations: { rule: string; file: string; text: string }[] = [
  {
    rule: "services-meet-in-contracts",
    file: "services/orders/shortcut.ts",
    text: 'import type {} from "../ledger/write-journals.ts";',
  },
  {
    rule: "platform-knows-no-service",
    file: "services/platform/favourite.ts",
    text: 'export * from "../ledger/write-journals.ts";',
  },
  { rule: "domain-is-pure", file: "services/orders/domain/disk.ts", text: 'export * from "node:fs";' },
  {
    rule: "domain-is-pure",
    file: "services/orders/domain/framework.ts",
    text: 'export { Injectable } from "@nestjs/common";',
  },
  {
    rule: "domain-is-pure",
    file: "services/ledger/domain/verb.ts",
    text: 'export * from "../write-journals.ts";',
  },
  {
    rule: "domain-stays-at-home",
    file: "services/orders/domain/borrowed.ts",
    text: 'export * from "../../ledger/domain/apply.ts";',
  },
  {
    rule: "sql-lives-in-store",
    file: "services/ledger/read-accounts.ts",
    text: 'export { MikroORM } from "@mikro-orm/postgresql";',
  },
  {
    rule: "sql-lives-in-store",
    file: "services/ledger/raw.ts",
    text: 'import pg from "pg"; export const client = pg;',
  },
  { rule: "contracts-stand-alone", file: "contracts/framework.ts", text: 'export { of } from "rxjs";' },
  {
    rule: "contracts-stand-alone",
    file: "contracts/inward.ts",
    text: 'export * from "../services/platform/clock.ts";',
  },
  {
    rule: "contracts-two-exceptions",
    file: "contracts/banking-calendar.ts",
    text: 'export { of } from "rxjs";',
  },
  { rule: "no-cycles", file: "services/ledger/egg.ts", text: 'export * from "./hen.ts";' },
  {
    rule: "code-does-not-import-tests",
    file: "services/ledger/tested.ts",
    text: 'export * from "../../test/world.ts";',
  },
  { rule: "nothing-unresolved", file: "services/ledger/typo.ts", text: 'export * from "./jurnals.ts";' },
];

describe("a planted violation", () => {
  let planted: Cruise;
  beforeAll(async () => {
    const tree = await mkdtemp(join(tmpdir(), "quittance-architecture-"));
    try {
      for (const [file, text] of Object.entries(plantedFiles)) await plant(tree, file, text);
      for (const { file, text } of violations) await plant(tree, file, text);
      for (const file of [rulesFile, "tsconfig.json", "package.json"])
        await cp(join(root, file), join(tree, file));
      await symlink(join(root, "node_modules"), join(tree, "node_modules"));
      planted = await cruise(tree, ["contracts", "services", "test"]);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  });

  it.each(violations)("of $rule in $file is caught", ({ rule, file }) => {
    const caught = planted.summary.violations
      .filter(({ from }) => from === file)
      .map((found) => found.rule.name);
    expect(caught).toContain(rule);
  });

  it("is the only thing that is caught", () => {
    const broken = new Set(planted.summary.violations.map(({ from }) => from));
    expect(Object.keys(plantedFiles).filter((file) => broken.has(file))).toEqual([]);
  });

  it("exists for every rule", async () => {
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
