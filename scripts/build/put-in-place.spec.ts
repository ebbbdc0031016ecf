import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { putInPlace } from "./put-in-place.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "put-in-place-"));
});
afterEach(() => rm(root, { recursive: true }));

const there = (name: string) => join(root, "dist", name);
const textOf = (name: string) => readFile(there(name), "utf8");

async function build(files: Readonly<Record<string, string>>): Promise<void> {
  const built = join(root, "dist/.next");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(built, name)), { recursive: true });
    await writeFile(join(built, name), text);
  }
  await putInPlace({ built, folder: join(root, "dist"), others: ["dashboard"] });
}

const twoDaysAgo = () => new Date(Date.now() - 48 * 60 * 60 * 1_000);
async function age(...names: string[]): Promise<void> {
  for (const name of names) await utimes(there(name), twoDaysAgo(), twoDaysAgo());
}

it("leaves what the build before loads, and removes it a day after it was replaced", async () => {
  await build({ "services/ledger/main.js": "loads old", "chunks/old.js": "old" });
  // A build that was in use for long counts from now on.
  await age("services/ledger/main.js", "chunks/old.js");
  await build({ "services/ledger/main.js": "loads new", "chunks/new.js": "new" });
  expect(await textOf("services/ledger/main.js")).toBe("loads new");
  expect(await textOf("chunks/new.js")).toBe("new");
  expect(await textOf("chunks/old.js")).toBe("old");
  expect(existsSync(there(".next"))).toBe(false);
  await build({ "services/ledger/main.js": "loads new", "chunks/new.js": "new" });
  expect(existsSync(there("chunks/old.js"))).toBe(true);
  await age("chunks/old.js");
  await build({ "services/ledger/main.js": "loads new", "chunks/new.js": "new" });
  expect(existsSync(there("chunks/old.js"))).toBe(false);
});

it("has the chunks in place before the program that loads them", async () => {
  await build({ "services/ledger/main.js": "loads old", "chunks/old.js": "old" });
  await rm(there("services/ledger/main.js"));
  await mkdir(there("services/ledger/main.js/taken"), { recursive: true });
  const files = { "a.js": "a", "services/ledger/main.js": "loads new", "chunks/new.js": "new" };
  await expect(build(files)).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(await textOf("chunks/new.js")).toBe("new");
});

it("leaves the folders of other builds", async () => {
  await mkdir(there("dashboard"), { recursive: true });
  await writeFile(there("dashboard/index.html"), "page");
  await age("dashboard/index.html");
  await build({ "services/ledger/main.js": "loads new" });
  expect(await textOf("dashboard/index.html")).toBe("page");
});
