import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { claimClone, releaseClone } from "./claim-clone.ts";
import { claimPort } from "./ports.ts";

const folder = await mkdtemp(join(tmpdir(), "claim-clone-"));
const file = join(folder, "start.pid");
const taken = createServer();
await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
const takenPort = (taken.address() as { port: number }).port;
afterAll(async () => {
  taken.close();
  await rm(folder, { recursive: true });
});

const wants = (port: number) => [{ port, owner: "the API", variable: "API_PORT" }];
const complaintAt = (port: number) =>
  claimClone(file, wants(port)).then(
    () => "claimed",
    (error: Error) => error.message,
  );
/** The id of a process that has ended. */
const dead = () => String(spawnSync("true").pid);

it("is claimed until it is released", async () => {
  expect(await complaintAt(await claimPort())).toBe("claimed");
  expect(await readFile(file, "utf8")).toBe(String(process.pid));
  await releaseClone(file);
  expect(existsSync(file)).toBe(false);
});

it("says first that the same clone runs already", async () => {
  await writeFile(file, String(process.ppid));
  const first = `Quittance runs already from this clone (process ${String(process.ppid)}).\n`;
  expect(await complaintAt(takenPort)).toContain(`${first}port ${String(takenPort)} for the API is taken`);
  await releaseClone(file);
  expect(existsSync(file)).toBe(true);
});

it("is refused while make start runs from it with other ports", async () => {
  const runner = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)", "scripts/start.ts"]);
  await once(runner, "spawn");
  await writeFile(file, String(runner.pid));
  expect(await complaintAt(await claimPort())).toBe(
    `Quittance runs already from this clone (process ${String(runner.pid)}). Stop it, or use another clone.`,
  );
  expect(await readFile(file, "utf8")).toBe(String(runner.pid));
  runner.kill();
  await once(runner, "exit");
  expect(await complaintAt(await claimPort())).toBe("claimed");
});

it("says only which port is taken where the claim is of a process that was killed", async () => {
  await writeFile(file, dead());
  expect(await complaintAt(takenPort)).toMatch(/^port /);
  expect(await complaintAt(await claimPort())).toBe("claimed");
});
