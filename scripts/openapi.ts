/**
 * Maintains the committed OpenAPI document. `make openapi` generates it from the routes. `make check` refuses a
 * document that is out of date, breaks callers of the previous release, or lacks a description. `release` makes it the
 * document to compare with.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unacceptedChanges } from "./openapi/accepted-changes.ts";
import { breakingChanges, type Document } from "./openapi/breaking-changes.ts";
import { driftOf } from "./openapi/drift.ts";
import { type Described, undescribed } from "./openapi/undescribed.ts";

const root = join(import.meta.dirname, "..");
const committedPath = join(root, "contracts/openapi/v1.json");
const releasedPath = join(root, "contracts/openapi/released/v1.json");

/** Runs the bundle in dist/ (`make build`), because Node can't run decorators from sources. */
function documentOfCode(): string {
  const tool = join(root, "dist/services/api-gateway/openapi.cli.js");
  const text = execFileSync(process.execPath, [tool], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}

function check(): string[] {
  const committed = read(committedPath);
  const drift = driftOf("contracts/openapi/v1.json", committed, documentOfCode());
  const broken = unacceptedChanges(
    breakingChanges(JSON.parse(read(releasedPath)) as Document, JSON.parse(committed) as Document),
  );
  return [
    ...drift,
    ...broken.map((change) => `breaks callers of /v1: ${change}`),
    ...undescribed(JSON.parse(committed) as Described),
    ...(broken.length === 0
      ? []
      : ["such a change is for the next version: CONTRIBUTING.md, A change that breaks callers"]),
  ];
}

function fail(lines: readonly string[]): void {
  for (const line of lines) console.error(line);
  if (lines.length > 0) process.exitCode = 1;
}

const [command = "write"] = process.argv.slice(2);
switch (command) {
  case "write":
    mkdirSync(join(root, "contracts/openapi"), { recursive: true });
    writeFileSync(committedPath, documentOfCode());
    break;
  case "check":
    fail(check());
    break;
  case "release": {
    const faults = check();
    fail(faults);
    if (faults.length === 0) copyFileSync(committedPath, releasedPath);
    break;
  }
  default:
    fail(["usage: node scripts/openapi.ts write | check | release"]);
}
