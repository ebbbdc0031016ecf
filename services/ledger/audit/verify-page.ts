import type { Sql } from "../../platform/persistence/sql.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { firstHead } from "../book/canonical.ts";
import { Chain, chainBefore, type Violation, originOf } from "./domain/hash-chain.ts";
import { classKey, Fold } from "./domain/replay.ts";
import { equationViolation, accountingEquation } from "../book/accounting-equation.ts";
import {
  accountsBefore,
  auditAccounts,
  auditCommands,
  auditObligations,
  entriesBehind,
  faultsBy,
  faultsOfStretch,
  keptClassTotals,
} from "./store/page-checks.ts";
import type { PassState, WalkState } from "./store/audit-progress.ts";
import { bookChecks } from "./store/book-checks.ts";
import { type BookHead, JournalReader, type StoredJournal } from "./store/read-journals.ts";

const journalsAtOnce = 1_000;
const rowsAtOnce = 2_000;

/** How far it came, and what it found. With faults the state is worth nothing. */
export interface Walked<S> {
  readonly state: S;
  readonly faults: readonly Violation[];
}

export function walkFromTheFirst({ uuid }: BookHead): WalkState {
  return { chain: chainBefore(firstHead(uuid)), classes: [] };
}

export function passFromTheFirst(head: BookHead): PassState {
  return { phase: "Journals", walk: walkFromTheFirst(head), after: belowAllUuids };
}

/**
 * Goes on through a book's journals by one page: chain, seals, exact and single resolutions, running totals, commands,
 * balances of the accounts that are touched; at the head also what only holds there: the head itself, class totals and
 * the equation. Ask inside one snapshot.
 */
export async function walkOn(sql: Sql, head: BookHead, from: WalkState): Promise<Walked<WalkState>> {
  const after = from.chain.sequence;
  const upTo = Math.min(after + journalsAtOnce, head.lastSequence);
  const reader = new JournalReader(sql, head.book);
  const page = await reader.page(after, upTo - after);
  const origins = await reader.originsOf(page);
  const chain = new Chain(from.chain);
  const fold = new Fold(await accountsBefore(sql, head.book, page), from.classes);
  for (const stored of page) {
    const origin = origins.get(originOf(stored.journal) ?? 0) ?? null;
    const fault =
      chain.step(stored.journal, stored, origin) ?? fold.step(stored.journal) ?? sealed(chain, fold, stored);
    if (fault !== null) return { state: from, faults: [fault] };
  }
  const faults = await faultsOfStretch(sql, { book: head.book, after, upTo }, [...fold.accounts.keys()]);
  if (upTo === head.lastSequence) faults.push(...(await faultsAtHead(sql, head, chain, fold)));
  return { state: { chain: chain.state, classes: fold.classes() }, faults };
}

function sealed(chain: Chain, fold: Fold, { journal, lineCount, seal }: StoredJournal): Violation | null {
  if (lineCount !== journal.entries.length) {
    return { check: "every journal balances, with all its lines", detail: `journal ${journal.sequence}` };
  }
  return seal === null ? null : (chain.seal(seal) ?? fold.sealed(journal.sequence, seal.classes));
}

async function faultsAtHead(sql: Sql, head: BookHead, chain: Chain, fold: Fold): Promise<Violation[]> {
  const kept = await keptClassTotals(sql, head.book);
  const known = new Set(kept.map(classKey));
  const missing = fold.classes().filter((total) => !known.has(classKey(total)));
  const found = [
    chain.end(head),
    ...kept.map((total) => fold.classTotal(total)),
    ...missing.map((total) => ({
      check: "class totals are the sums of their accounts",
      detail: `${classKey(total)} is not there`,
    })),
    equationViolation(accountingEquation(kept)),
  ];
  const behind = [head.uuid, head.lastSequence];
  return [
    ...found.filter((fault) => fault !== null),
    ...(await faultsBy(sql, "every entry has its header", entriesBehind, behind)),
  ];
}

/** They look at accounts and their days, not at entries. */
const sumsOfAccounts = [
  "class totals are the sums of their accounts",
  "days of a class are the sums of its accounts' days",
] as const;

/** Goes on with a pass from the first journal by one page of its phase; null as the state: the pass is over. */
export async function passOn(sql: Sql, head: BookHead, from: PassState): Promise<Walked<PassState | null>> {
  if (from.phase === "Journals") {
    const { state: walk, faults } = await walkOn(sql, head, from.walk);
    const phase = walk.chain.sequence === head.lastSequence ? "Accounts" : "Journals";
    return { state: { phase, walk, after: belowAllUuids }, faults };
  }
  if (from.phase === "Accounts") {
    const { next, faults } = await auditAccounts(sql, head.book, from.after, rowsAtOnce);
    if (next !== null) return { state: { ...from, after: next }, faults };
    for (const check of sumsOfAccounts) {
      faults.push(...(await faultsBy(sql, check, bookChecks[check], [head.uuid])));
    }
    return { state: { ...from, phase: "Obligations", after: belowAllUuids }, faults };
  }
  if (from.phase === "Obligations") {
    const { next, faults } = await auditObligations(sql, head.book, from.after, rowsAtOnce);
    if (next !== null) return { state: { ...from, after: next }, faults };
    const check = "what obligations owe is what their expenses hold";
    const sums = await faultsBy(sql, check, bookChecks[check], [head.uuid]);
    return { state: { ...from, phase: "Commands", after: belowAllUuids }, faults: [...faults, ...sums] };
  }
  const { next, faults } = await auditCommands(sql, head.book, from.after, rowsAtOnce);
  return { state: next === null ? null : { ...from, after: next }, faults };
}
