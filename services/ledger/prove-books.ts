import type { BookId, LedgerAccountId } from "../../contracts/ids.ts";
import type { Sql } from "../platform/persistence/sql.ts";
import { digestOf, firstHead, headAfter } from "./domain/canonical.ts";
import { chartAccountId } from "./domain/chart-of-accounts.ts";
import {
  type Journal,
  type JournalKind,
  type Line,
  offsettingLines,
  releaseLines,
  settlementLines,
} from "./domain/journal.ts";
import { moneyHeld } from "./domain/money-held.ts";
import { readBalances } from "./store/balances.ts";
import { bookChecks } from "./store/book-checks.ts";
import {
  type BookHead,
  readHeads,
  readJournals,
  readLines,
  type StoredJournal,
} from "./store/stored-journals.ts";

export interface Fault {
  readonly check: string;
  readonly detail: string;
}

/** What a proof found. A book without faults is proven as far as its own rows can prove it. */
export interface Proof {
  readonly book: BookId;
  readonly journals: number;
  /** The head of the chain, in hexadecimal. */
  readonly head: string;
  readonly faults: readonly Fault[];
}

const journalsAtOnce = 2_000;
const mostFaultsPerCheck = 10;

/**
 * Proves every book, or one: trial balance, completeness, gap-free sequence, balance = running totals = fold of all
 * entries, resolutions exact and single, class totals and the equation of money held for others, and the chain from
 * its first head over every seal to the last. Call it first in a transaction of its own: it makes that one read-only
 * snapshot, so the books may go on meanwhile.
 */
export async function proveBooks(sql: Sql, only?: BookId): Promise<Proof[]> {
  await sql("set transaction isolation level repeatable read, read only");
  const proofs: Proof[] = [];
  for (const head of await readHeads(sql, only)) proofs.push(await proveBook(sql, head));
  return proofs;
}

async function proveBook(sql: Sql, head: BookHead): Promise<Proof> {
  const faults: Fault[] = [];
  for (const [check, statement] of Object.entries(bookChecks)) {
    const rows = await sql<{ fault: string }>(`${statement} limit ${mostFaultsPerCheck}`, [head.uuid]);
    faults.push(...rows.map(({ fault }) => ({ check, detail: fault })));
  }
  faults.push(...(await proveEquation(sql, head)));
  faults.push(...(await proveChain(sql, head)));
  return { book: head.book, journals: head.lastSequence, head: head.head, faults };
}

async function proveEquation(sql: Sql, { uuid }: BookHead): Promise<Fault[]> {
  const { totals } = await readBalances(sql, uuid, { after: null, limit: 1 });
  const { settlementCash, subLedger, difference } = moneyHeld(totals);
  if (difference === 0n) return [];
  const detail = `${settlementCash} cents held, ${subLedger} owed`;
  return [{ check: "money held is money owed", detail }];
}

/** Walks the journals once: digests, resolutions and the chain. Stops at the first break, for nothing holds after it. */
async function proveChain(sql: Sql, head: BookHead): Promise<Fault[]> {
  let hash = firstHead(head.uuid);
  for (let sequence = 0; sequence < head.lastSequence; sequence += journalsAtOnce) {
    const stored = await readJournals(sql, head.book, sequence, journalsAtOnce);
    const origins = stored.flatMap(({ journal }) => originOf(journal) ?? []);
    const lines = await readLines(sql, head.book, origins);
    for (const next of stored) {
      const fault = faultOf(next, lines);
      if (fault !== null) return [fault];
      hash = headAfter(hash, next.digest);
      if (next.sealedHead !== null && next.sealedHead !== hash) {
        const detail = `the seal after journal ${next.journal.sequence} has another head`;
        return [{ check: "the chain verifies", detail }];
      }
    }
  }
  if (hash === head.head) return [];
  return [{ check: "the chain verifies", detail: "the head is not that of the last journal" }];
}

function originOf({ resolves, reverses }: Journal): number | null {
  return resolves ?? reverses;
}

function faultOf(
  { journal, digest }: StoredJournal,
  lines: ReadonlyMap<number, readonly Line[]>,
): Fault | null {
  if (digestOf(journal) !== digest) {
    return { check: "every digest covers its journal", detail: `journal ${journal.sequence}` };
  }
  const origin = originOf(journal);
  if (origin === null) return null;
  const expected = linesThatMustBe(journal.kind, lines.get(origin) ?? []);
  const suspense = chartAccountId(journal.book, "Suspense");
  const exact =
    expected.length === journal.entries.length &&
    expected.every((line, place) => {
      const found = journal.entries[place];
      return found !== undefined && isSame(line, found, suspense);
    });
  return exact
    ? null
    : { check: "resolutions and reversals are exact", detail: `journal ${journal.sequence}` };
}

function linesThatMustBe(kind: JournalKind, origin: readonly Line[]): Line[] {
  if (kind === "Settle") return settlementLines(origin);
  return kind === "Release" ? releaseLines(origin) : offsettingLines(origin);
}

/** Suspense may stand where money was forced on a closed account. */
function isSame(expected: Line, found: Line, suspense: LedgerAccountId): boolean {
  return (
    (found.accountId === expected.accountId || (found.layer === "Posted" && found.accountId === suspense)) &&
    found.currency === expected.currency &&
    found.layer === expected.layer &&
    found.role === expected.role &&
    found.direction === expected.direction &&
    found.amountCents === expected.amountCents
  );
}
