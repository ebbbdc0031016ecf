import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { writePrivateFile } from "./write-private-file.ts";

const folder = await mkdtemp(join(tmpdir(), "quittance-private-"));
afterAll(() => rm(folder, { recursive: true }));

it("writes a file that only its owner can read, also over what a crash left", async () => {
  const file = join(folder, "secret");
  await writeFile(`${file}.unfinished`, "ha", { mode: 0o644 });
  await writePrivateFile(file, "half");
  expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual(["half", 0o600]);
  expect(await readdir(folder)).toEqual(["secret"]);
});

it("leaves the old text if the new one can't be written", async () => {
  const file = join(folder, "kept");
  await writePrivateFile(file, "old");
  await mkdir(`${file}.unfinished`);
  await expect(writePrivateFile(file, "new")).rejects.toThrow();
  expect(await readFile(file, "utf8")).toBe("old");
});
