import type { BookId, LedgerAccountId } from "../../contracts/ids.ts";
import type { Sql } from "../platform/persistence/sql.ts";
import { type DigestedJournal, digestOf, firstHead, headAfter } from "./domain/canonical.ts";
import { chartAccountId } from "./domain/chart-of-accounts.ts";
import {
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
  eachHead,
  JournalReader,
  type SealTotals,
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

/**
 * Walks the journals once: digests, resolutions, the chain, and what was sealed of it. Stops at the first break, for
 * nothing holds after it. The next page is on its way while this one is looked at.
 */
async function proveChain(sql: Sql, head: BookHead): Promise<Fault[]> {
  const reader = new JournalReader(sql, head.book);
  const pageAfter = (sequence: number) =>
    sequence < head.lastSequence ? reader.page(sequence, journalsAtOnce) : Promise.resolve([]);
  let walk: Walk = { hash: firstHead(head.uuid), totals: nothingYet };
  let next = pageAfter(0);
  for (let sequence = 0; sequence < head.lastSequence; sequence += journalsAtOnce) {
    const page = await next;
    const origins = await originLines(reader, page);
    next = pageAfter(sequence + journalsAtOnce);
    for (const stored of page) {
      const fault = faultOf(stored, origins);
      if (fault === null) walk = stepTo(walk, stored);
      const found = fault ?? sealFaultOf(walk, stored);
      if (found === null) continue;
      await next;
      return [found];
    }
  }
  if (walk.hash === head.head) return [];
  return [{ check: "the chain verifies", detail: "the head is not that of the last journal" }];
}

/** How far the walk has come: the chain's head, and the sums of all entries so far, in cents. */
interface Walk {
  readonly hash: string;
  readonly totals: SealTotals;
}

const nothingYet: SealTotals = { postedDebit: 0n, postedCredit: 0n, pendingDebit: 0n, pendingCredit: 0n };

function stepTo({ hash, totals }: Walk, { journal, digest }: StoredJournal): Walk {
  let { postedDebit, postedCredit, pendingDebit, pendingCredit } = totals;
  for (const { layer, direction, amountCents } of journal.entries) {
    if (layer === "Posted") {
      if (direction === "Debit") postedDebit += amountCents;
      else postedCredit += amountCents;
    } else if (direction === "Debit") pendingDebit += amountCents;
    else pendingCredit += amountCents;
  }
  return {
    hash: headAfter(hash, digest),
    totals: { postedDebit, postedCredit, pendingDebit, pendingCredit },
  };
}

function sealFaultOf({ hash, totals }: Walk, { journal, seal }: StoredJournal): Fault | null {
  if (seal === null) return null;
  if (seal.head !== hash) {
    return {
      check: "the chain verifies",
      detail: `the seal after journal ${journal.sequence} has another head`,
    };
  }
  const wrong = (Object.keys(totals) as (keyof SealTotals)[]).find(
    (name) => seal.totals[name] !== totals[name],
  );
  if (wrong === undefined) return null;
  const detail = `the seal after journal ${journal.sequence} says ${seal.totals[wrong]} cents ${wrong}, the entries ${totals[wrong]}`;
  return { check: "seals hold the totals of their time", detail };
}

/** The lines of what a page's journals resolve or reverse; most of it stands in the page itself. */
async function originLines(
  reader: JournalReader,
  page: readonly StoredJournal[],
): Promise<ReadonlyMap<number, readonly Line[]>> {
  const own = new Map(page.map(({ journal }) => [journal.sequence, journal.entries]));
  const elsewhere = page.flatMap(({ journal }) => {
    const origin = originOf(journal);
    return origin === null || own.has(origin) ? [] : [origin];
  });
  return new Map([...own, ...(await reader.lines(elsewhere))]);
}

function originOf({ resolves, reverses }: DigestedJournal): number | null {
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
