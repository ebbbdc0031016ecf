/**
 * Our own part of `make check`: layout, SQL outside store/, handlers without `runFor`, clocks, words, comment width,
 * paths and metrics in documents.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkClocks } from "./checks/clocks.ts";
import { checkCommentWidth } from "./checks/comments.ts";
import { checkConnections } from "./checks/connections.ts";
import { checkLayout } from "./checks/layout.ts";
import { checkMetrics } from "./checks/metrics.ts";
import { checkPaths } from "./checks/paths.ts";
import { show, type Source } from "./checks/source.ts";
import { checkSql } from "./checks/sql.ts";
import { checkWords } from "./checks/words.ts";

const root = join(import.meta.dirname, "..");

/** Tracked files, and new ones that git does not ignore. */
function readSources(): Source[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
  const paths = [...new Set(listed.split("\0"))].filter((path) =>
    /\.(tsx?|css|sql|md|json|cjs|yml)$/.test(path),
  );
  return paths.flatMap((path) => {
    try {
      return [{ path, text: readFileSync(join(root, path), "utf8") }];
    } catch {
      return []; // removed from the folder, not yet from the index
    }
  });
}

const sources = readSources();
const checks = [
  checkLayout,
  checkSql,
  checkConnections,
  checkClocks,
  checkWords,
  checkCommentWidth,
  checkPaths,
  checkMetrics,
];
const findings = checks.flatMap((check) => check(sources));
for (const finding of findings) console.error(show(finding));
if (findings.length > 0) process.exitCode = 1;
