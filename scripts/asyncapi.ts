/**
 * Maintains the committed AsyncAPI document. `make openapi` generates it from contracts/messages and
 * contracts/topology.ts. `make check` refuses a document that is out of date or that AsyncAPI's parser rejects.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { documentOfContracts } from "./asyncapi/document.ts";
import { parserErrors } from "./asyncapi/parser-errors.ts";
import { driftOf } from "./openapi/drift.ts";

const root = join(import.meta.dirname, "..");
const path = "contracts/asyncapi/v1.json";

const written = `${JSON.stringify(await documentOfContracts(), null, 2)}\n`;
const [command = "write"] = process.argv.slice(2);
switch (command) {
  case "write":
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), written);
    break;
  case "check": {
    const committed = readFileSync(join(root, path), "utf8");
    fail([...driftOf(path, committed, written), ...(await parserErrors(committed))]);
    break;
  }
  default:
    fail(["usage: node scripts/asyncapi.ts write | check"]);
}

function fail(lines: readonly string[]): void {
  for (const line of lines) console.error(line);
  if (lines.length > 0) process.exitCode = 1;
}
