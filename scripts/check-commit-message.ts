/** `node scripts/check-commit-message.ts FILE`: run by the hook `commit-msg`. */
import { readFileSync } from "node:fs";
import { checkCommitMessage } from "./checks/commit-message.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("name the file with the commit message");
const problems = checkCommitMessage(readFileSync(file, "utf8"));
for (const problem of problems) console.error(`commit message: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
