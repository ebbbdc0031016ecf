import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

// A database runs each migration once, so an edit of a released file reaches no database that already has it.
const root = join(import.meta.dirname, "..");
const list = "test/migrations.sha256";

const sha256Of = (file: string) =>
  createHash("sha256")
    .update(readFileSync(join(root, file)))
    .digest("hex");
const files = globSync("services/**/migrations/*.sql", { cwd: root }).sort();
const released = new Map(
  readFileSync(join(root, list), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("  "))
    .map(([sha256 = "", file = ""]) => [file, sha256]),
);

/** What a change did to the list of migrations, and how to mend it. */
function complaints(current: ReadonlyMap<string, string>, listed: ReadonlyMap<string, string>): string[] {
  return [
    ...[...listed]
      .filter(([file, sha256]) => current.get(file) !== sha256)
      .map(([file]) => `${file} was changed or removed: restore it, and put the change into a new migration`),
    ...[...current]
      .filter(([file]) => !listed.has(file))
      .map(([file, sha256]) => `${file} is new: add the line "${sha256}  ${file}" to ${list}`),
  ];
}

describe("migrations", () => {
  it("are only appended", () => {
    expect(complaints(new Map(files.map((file) => [file, sha256Of(file)])), released)).toEqual([]);
  });

  it("fail the check when one is edited, removed, or not listed", () => {
    const listed = new Map([
      ["0001-edited.sql", "a"],
      ["0002-removed.sql", "b"],
    ]);
    const current = new Map([
      ["0001-edited.sql", "c"],
      ["0003-new.sql", "d"],
    ]);
    expect(complaints(current, listed)).toEqual([
      "0001-edited.sql was changed or removed: restore it, and put the change into a new migration",
      "0002-removed.sql was changed or removed: restore it, and put the change into a new migration",
      `0003-new.sql is new: add the line "d  0003-new.sql" to ${list}`,
    ]);
  });
});
