import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { firstHead } from "../book/canonical.ts";
import { HashChainVerifier, emptyChain, originOf } from "./domain/hash-chain.ts";
import type { Violation } from "../book/violation.ts";
import { equationViolation, accountingEquation } from "../book/accounting-equation.ts";
import { readBalances } from "../accounts/store/balances.ts";
import { bookChecks } from "./store/book-checks.ts";
import { type ChainHead, eachHead, JournalReader } from "./store/read-journals.ts";

/** What a proof found. A book without faults is proven as far as its own rows can prove it. */
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
 * Proves every book, or one, and gives each proof as soon as it is made: trial balance, completeness, gap-free sequence,
 * balance = running totals = fold of all entries, resolutions exact and single, outcomes that fit their journals,
 * class totals and the equation of money held for others, and the chain from its first head over every seal, with its
 * totals, to the last. Ask for the first in a transaction of its own: it makes that one read-only snapshot, so the
 * books may go on meanwhile. Memory is a page of journals, however long the book is.
 */
export async function* proveEachBook(sql: Sql, only?: BookId): AsyncGenerator<Proof> {
  await sql("set transaction isolation level repeatable read, read only");
  for await (const head of eachHead(sql, only)) yield await proveBook(sql, head);
}

/** All proofs at once, for whoever has few books. */
export async function proveBooks(sql: Sql, only?: BookId): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for await (const proof of proveEachBook(sql, only)) proofs.push(proof);
  return proofs;
}

async function proveBook(sql: Sql, head: ChainHead): Promise<Proof> {
  const violations: Violation[] = [];
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
 * Walks the journals once: digests, resolutions, the chain, and what was sealed of it. Stops at the first break, for
 * nothing holds after it. The next page is on its way while this one is looked at.
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
