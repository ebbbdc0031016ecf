import type { Sql } from "../../platform/persistence/sql.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { firstHead } from "../book/canonical.ts";
import { HashChainVerifier, emptyChain, originOf } from "./domain/hash-chain.ts";
import type { Violation } from "../book/violation.ts";
import { classKey, BalanceReplay } from "./domain/replay.ts";
import { equationViolation, accountingEquation } from "../book/accounting-equation.ts";
import {
  accountsBefore,
  verifyAccounts,
  verifyCommands,
  verifyObligations,
  entriesAfterHead,
  violationsBy,
  violationsInRange,
  violationsOfOwner,
  storedClassTotals,
} from "./store/page-checks.ts";
import type { ScanProgress, JournalProgress } from "./store/audit-progress.ts";
import { bookChecks } from "./store/book-checks.ts";
import { type ChainHead, JournalReader, type StoredJournal } from "./store/read-journals.ts";

const journalBatchSize = 1_000;
const rowBatchSize = 2_000;

/** The progress after a page, and its violations. With violations, the progress must not be saved. */
export interface PageResult<S> {
  readonly state: S;
  readonly violations: readonly Violation[];
}

export function startOfChain({ uuid }: ChainHead): JournalProgress {
  return { chain: emptyChain(firstHead(uuid)), classes: [] };
}

export function startOfScan(head: ChainHead): ScanProgress {
  return { phase: "Journals", tail: startOfChain(head), after: belowAllUuids };
}

/**
 * Verifies the next page of a book's journals: hash chain, checkpoints, exact and single resolutions, running totals,
 * commands, and balances of the accounts on the page. The last page also verifies the head, the class totals and the
 * accounting equation. Call it inside one snapshot.
 */
export async function verifyJournals(
  sql: Sql,
  head: ChainHead,
  from: JournalProgress,
): Promise<PageResult<JournalProgress>> {
  const after = from.chain.sequence;
  const upTo = Math.min(after + journalBatchSize, head.lastSequence);
  const reader = new JournalReader(sql, head.book);
  const page = await reader.page(after, upTo - after);
  const origins = await reader.originsOf(page);
  const chain = new HashChainVerifier(from.chain);
  const replay = new BalanceReplay(await accountsBefore(sql, head.book, page), from.classes);
  for (const stored of page) {
    const origin = origins.get(originOf(stored.journal) ?? 0) ?? null;
    const violation =
      chain.step(stored.journal, stored, origin) ??
      replay.step(stored.journal) ??
      verifyBatchEnd(chain, replay, stored);
    if (violation !== null) return { state: from, violations: [violation] };
  }
  const violations = await violationsInRange(sql, { book: head.book, after, upTo }, [
    ...replay.accounts.keys(),
  ]);
  if (upTo === head.lastSequence) violations.push(...(await violationsAtHead(sql, head, chain, replay)));
  return { state: { chain: chain.state, classes: replay.classes() }, violations };
}

function verifyBatchEnd(
  chain: HashChainVerifier,
  replay: BalanceReplay,
  { journal, lineCount, checkpoint }: StoredJournal,
): Violation | null {
  if (lineCount !== journal.entries.length) {
    return { check: "every journal balances, with all its lines", detail: `journal ${journal.sequence}` };
  }
  return checkpoint === null
    ? null
    : (chain.verifyCheckpoint(checkpoint) ?? replay.verifyCheckpoint(journal.sequence, checkpoint.classes));
}

async function violationsAtHead(
  sql: Sql,
  head: ChainHead,
  chain: HashChainVerifier,
  replay: BalanceReplay,
): Promise<Violation[]> {
  const stored = await storedClassTotals(sql, head.book);
  const known = new Set(stored.map(classKey));
  const missing = replay.classes().filter((total) => !known.has(classKey(total)));
  const found = [
    chain.verifyHead(head),
    ...stored.map((total) => replay.verifyClassTotal(total)),
    ...missing.map((total) => ({
      check: "class totals are the sums of their accounts",
      detail: `${classKey(total)} is missing`,
    })),
    equationViolation(accountingEquation(stored)),
  ];
  const afterHead = [head.uuid, head.lastSequence];
  return [
    ...found.filter((violation) => violation !== null),
    ...(await violationsBy(sql, "every entry has its header", entriesAfterHead, afterHead)),
  ];
}

/** Checks that read accounts and their days, not entries. */
const checksOfAccounts = [
  "every account is as it was made",
  "class totals are the sums of their accounts",
  "days of a class are the sums of its accounts' days",
] as const;

/** Verifies the next page of a full scan, in its current phase. The state is null after the last page. */
export async function verifyFullScan(
  sql: Sql,
  head: ChainHead,
  from: ScanProgress,
): Promise<PageResult<ScanProgress | null>> {
  if (from.phase === "Journals") {
    const { state: tail, violations } = await verifyJournals(sql, head, from.tail);
    const phase = tail.chain.sequence === head.lastSequence ? "Accounts" : "Journals";
    return { state: { phase, tail, after: belowAllUuids }, violations };
  }
  if (from.phase === "Accounts") {
    const { next, violations } = await verifyAccounts(sql, head.book, from.after, rowBatchSize);
    if (next !== null) return { state: { ...from, after: next }, violations };
    violations.push(...(await violationsOfOwner(sql, head.book)));
    for (const check of checksOfAccounts) {
      violations.push(...(await violationsBy(sql, check, bookChecks[check], [head.uuid])));
    }
    return { state: { ...from, phase: "Obligations", after: belowAllUuids }, violations };
  }
  if (from.phase === "Obligations") {
    const { next, violations } = await verifyObligations(sql, head.book, from.after, rowBatchSize);
    if (next !== null) return { state: { ...from, after: next }, violations };
    const check = "what obligations owe is what their expenses hold";
    const sums = await violationsBy(sql, check, bookChecks[check], [head.uuid]);
    return {
      state: { ...from, phase: "Commands", after: belowAllUuids },
      violations: [...violations, ...sums],
    };
  }
  const { next, violations } = await verifyCommands(sql, head.book, from.after, rowBatchSize);
  return { state: next === null ? null : { ...from, after: next }, violations };
}
