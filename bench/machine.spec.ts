import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commitOf } from "./machine.ts";

let folder = "";
let commit = "";
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quittance-commit-"));
  git("init", "--quiet");
  for (const name of ["services", "bench", "bench/results"]) mkdirSync(join(folder, name));
  write(".gitignore", "bench/results/\n");
  write("services/main.ts", "1");
  git("add", ".");
  git("commit", "--quiet", "--no-verify", "--message", "one");
  commit = git("rev-parse", "--short", "HEAD");
});
afterEach(() => rmSync(folder, { recursive: true }));

it("the record names the commit alone if what runs is that of the commit", async () => {
  write("notes.md", "a note");
  write("bench/results/2026-11-28.json", "{}");
  expect(await commitOf(folder)).toBe(commit);
});

it("the record says so if a file was changed", async () => {
  write("services/main.ts", "2");
  expect(await commitOf(folder)).toBe(`${commit} and changes`);
});

it("the record says so if a file was added that git does not know, such as a migration", async () => {
  write("services/0002-more.sql", "select 1;");
  expect(await commitOf(folder)).toBe(`${commit} and changes`);
});

it("a folder without history has no commit", async () => {
  rmSync(join(folder, ".git"), { recursive: true });
  expect(await commitOf(folder)).toBe("not a git checkout");
});
