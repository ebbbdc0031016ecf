import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
import type { BookId } from "./ids/ids.ts";
import type { StatementHeader, StatementLine } from "./messages/bank-statements.ts";

const version = "quittance.statement.v1";

/**
 * SHA-256 of a statement, hexadecimal, over its book, its header without the hash, and its lines in order, each as one
 * line of canonical JSON. The bank computes it when it issues the statement, the ledger when it receives it.
 */
export function statementHash(
  book: BookId,
  { hash: _itself, ...header }: StatementHeader,
  lines: readonly StatementLine[],
): string {
  const sha256 = createHash("sha256").update(`${version}\n${book}\n${canonicalJson(header)}\n`);
  for (const line of lines) sha256.update(`${canonicalJson(line)}\n`);
  return sha256.digest("hex");
}
