import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { firstHead } from "../book/canonical.ts";
import { HashChainVerifier, emptyChain, originOf } from "./domain/hash-chain.ts";
import type { Violation } from "../book/violation.ts";
import { equationViolation, accountingEquation } from "../book/accounting-equation.ts";
import { readBalances } from "../accounts/store/balances.ts";
import { bookChecks } from "./store/book-checks.ts";
import { violationsOfOwner } from "./store/page-checks.ts";
import { type ChainHead, eachHead, JournalReader } from "./store/read-journals.ts";

/** The result of a proof. Without violations the book is proven, as far as its own rows can prove it. */
export interface Proof {
  readonly book: BookId;
  readonly journals: number;
  /** The head of the chain, in hexadecimal. */
  readonly head: string;
  readonly violations: readonly Violation[];
}

const journalBatchSize = 2_000;
const maxViolationsPerCheck = 10;

/**
 * Proves every book, or one, and yields each proof as soon as it is made: trial balance, completeness, gap-free
 * sequence, balance = running totals = sum of all entries, resolutions exact and single, outcomes that fit their
 * journals, class totals, the accounting equation, and the hash chain from its first head over every checkpoint to the
 * last. Call it in a transaction of its own, which becomes one read-only snapshot: writers continue. Memory: one page
 * of journals.
 */
export async function* proveEachBook(sql: Sql, only?: BookId): AsyncGenerator<Proof> {
  await sql("set transaction isolation level repeatable read, read only");
  for await (const head of eachHead(sql, only)) yield await proveBook(sql, head);
}

/** All proofs at once; for few books. */
export async function proveBooks(sql: Sql, only?: BookId): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for await (const proof of proveEachBook(sql, only)) proofs.push(proof);
  return proofs;
}

async function proveBook(sql: Sql, head: ChainHead): Promise<Proof> {
  const violations = await violationsOfOwner(sql, head.book);
  for (const [check, statement] of Object.entries(bookChecks)) {
    const rows = await sql<{ violation: string }>(`${statement} limit ${maxViolationsPerCheck}`, [head.uuid]);
    violations.push(...rows.map(({ violation }) => ({ check, detail: violation })));
  }
  violations.push(...(await proveEquation(sql, head)));
  violations.push(...(await proveChain(sql, head)));
  return { book: head.book, journals: head.lastSequence, head: head.head, violations };
}

async function proveEquation(sql: Sql, { uuid }: ChainHead): Promise<Violation[]> {
  const { totals } = await readBalances(sql, uuid, { after: null, limit: 1 });
  const violation = equationViolation(accountingEquation(totals));
  return violation === null ? [] : [violation];
}

/**
 * Reads the journals once and verifies digests, resolutions, the hash chain and checkpoints. Stops at the first
 * violation, because every later head depends on it. Fetches the next page while it verifies the current one.
 */
async function proveChain(sql: Sql, head: ChainHead): Promise<Violation[]> {
  const reader = new JournalReader(sql, head.book);
  const pageAfter = (sequence: number) =>
    sequence < head.lastSequence ? reader.page(sequence, journalBatchSize) : Promise.resolve([]);
  const chain = new HashChainVerifier(emptyChain(firstHead(head.uuid)));
  let next = pageAfter(0);
  for (let sequence = 0; sequence < head.lastSequence; sequence += journalBatchSize) {
    const page = await next;
    const origins = await reader.originsOf(page);
    next = pageAfter(sequence + journalBatchSize);
    for (const stored of page) {
      const { journal, checkpoint } = stored;
      const origin = origins.get(originOf(journal) ?? 0) ?? null;
      const found =
        chain.step(journal, stored, origin) ??
        (checkpoint === null ? null : chain.verifyCheckpoint(checkpoint));
      if (found === null) continue;
      await next;
      return [found];
    }
  }
  const violation = chain.verifyHead(head);
  return violation === null ? [] : [violation];
}
