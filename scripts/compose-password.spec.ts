import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "compose-password-"));
  await mkdir(join(scratch, "configuration"));
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

const stored = () => join(scratch, "configuration/postgres-password");
async function configure(): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    CONFIGURATION_FOLDER: join(scratch, "configuration"),
    SHARES_FOLDER: join(scratch, "shares"),
  };
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "compose.ts"), "configure"], {
    env,
  });
  return readFile(join(scratch, "shares/postgres/password"), "utf8");
}

describe("the password of the database's owner", () => {
  it("is generated once", async () => {
    const password = await configure();
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(await configure()).toBe(password);
  });

  it("is generated where an interrupted run left an empty file", async () => {
    await writeFile(stored(), "");
    const password = await configure();
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(await readFile(stored(), "utf8")).toBe(password);
  });

  it("is not replaced if it can't be read", async () => {
    await mkdir(stored());
    await expect(configure()).rejects.toThrow("EISDIR: illegal operation on a directory, read");
  });
});

it("a file whose text is the same keeps its time, so that it tells when it changed", async () => {
  await configure();
  const file = join(scratch, "shares/nats/nats.conf");
  const long = new Date("2026-01-02T03:04:05.000Z");
  await utimes(file, long, long);
  await configure();
  expect((await stat(file)).mtime).toEqual(long);
  const text = await readFile(file, "utf8");
  await writeFile(file, "max_payload: 1MB\n");
  await configure();
  expect(await readFile(file, "utf8")).toBe(text);
});
