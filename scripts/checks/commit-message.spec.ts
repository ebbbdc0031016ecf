import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { checkCommitMessage } from "./commit-message.ts";

const run = promisify(execFile);
const body = "\n\nA journal that does not balance would create money.";

describe("a commit message", () => {
  it.each([
    `ledger: refuse unbalanced journals${body}`,
    `scripts, test: group local servers into folders${body}`,
    `api-gateway: pass the request id on${body}`,
    `docs: process in one step${body}\n\nSecond paragraph.`,
    `ledger: refuse unbalanced journals${body}\n# Please enter the commit message`,
    "Merge branch 'main'",
    'Revert "ledger: refuse unbalanced journals"',
    "fixup! ledger: refuse unbalanced journals",
  ])("is in order: %j", (message) => {
    expect(checkCommitMessage(message)).toEqual([]);
  });

  it.each([
    [`refuse unbalanced journals${body}`, 'write the subject as "area: imperative"'],
    [`Ledger: refuse unbalanced journals${body}`, 'write the subject as "area: imperative"'],
    [`ledger: refuse${body}`, 'write the subject as "area: imperative"'],
    [`fees: refuse unbalanced journals${body}`, 'there is no area "fees"'],
    [`ledger: refused unbalanced journals${body}`, '"refused" is not an imperative'],
    [`ledger: refuses unbalanced journals${body}`, '"refuses" is not an imperative'],
    [`ledger: refusing unbalanced journals${body}`, '"refusing" is not an imperative'],
    [`ledger: what no statement can have is said apart${body}`, '"what" is not an imperative'],
    [`ledger: Refuse unbalanced journals${body}`, '"Refuse" is not an imperative'],
    [`ledger: refuse unbalanced journals.${body}`, "end the subject without a full stop"],
    [`ledger: refuse ${"x".repeat(58)}${body}`, "the subject has 73 characters"],
    ["ledger: refuse unbalanced journals", "add a body that says why"],
    ["ledger: refuse unbalanced journals\n\n# only a comment", "add a body that says why"],
    ["ledger: refuse unbalanced journals\nat once", "leave the line after the subject empty"],
    [`ledger: refuse unbalanced journals\n\n${"x".repeat(121)}`, "break the lines of the body"],
  ])("is refused: %j", (message, problem) => {
    expect(checkCommitMessage(message)).toEqual([expect.stringContaining(problem)]);
  });
});

it("is accepted by the hook if it is good and refused if it is bad", async () => {
  const folder = await mkdtemp(join(tmpdir(), "quittance-hook-"));
  try {
    await run("git", ["init", "--quiet", folder]);
    const settings = {
      "core.hooksPath": join(import.meta.dirname, "../hooks"),
      "user.name": "A",
      "user.email": "a@b",
    };
    const commit = (message: string) => {
      const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      return run("git", ["-C", folder, ...flags, "commit", "--quiet", "--allow-empty", "-m", message]);
    };
    await commit(`ledger: refuse unbalanced journals${body}`);
    await expect(commit("changes")).rejects.toThrow(
      /commit message: write the subject as "area: imperative"/,
    );
    const { stdout } = await run("git", ["-C", folder, "log", "--format=%s"]);
    expect(stdout).toBe("ledger: refuse unbalanced journals\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
