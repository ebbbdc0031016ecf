/** `make tour`: moves money over every rail of the service that `make start` runs, and shows each step. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { clockPrefix, type Sandbox } from "./tour/guide.ts";
import { runTour } from "./tour/run-tour.ts";

const file = join(import.meta.dirname, "../.local/sandbox.json");

async function readSandbox(): Promise<Sandbox> {
  const text = await readFile(file, "utf8").catch(() => undefined); // not started yet: see below
  if (text === undefined)
    throw new Error("there is no .local/sandbox.json yet: run `make start` in another terminal first");
  const sandbox = JSON.parse(text) as Sandbox;
  const ready = await fetch(`${sandbox.baseUrl}/v1/openapi.json`).then(
    (response) => response.ok,
    () => false,
  );
  if (!ready)
    throw new Error(`no answer from ${sandbox.baseUrl}: run \`make start\` in another terminal first`);
  return sandbox;
}

try {
  const sandbox = await readSandbox();
  const began = performance.now();
  console.log("To repeat the steps in your own shell:");
  console.log(`export API=${sandbox.baseUrl}`);
  for (const [name, key] of Object.entries(sandbox.keys)) console.log(`export ${name.toUpperCase()}=${key}`);
  for (const [name, key] of Object.entries(sandbox.clockKeys))
    console.log(`export ${(clockPrefix + name).toUpperCase()}=${key}`);
  const { steps, skipped } = await runTour(sandbox, console.log);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const done =
    skipped === 0 ? "six rails, none skipped" : `${String(skipped)} refused by the policy in force`;
  console.log(`\nThe tour is over: ${String(steps)} steps, ${done}, in ${seconds} s.`);
} catch (error) {
  console.error(`\nThe tour stopped: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
