import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { bankingDaysBetween, newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { type BookId, creationTimeOf, idOf, isId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { reconciliationStatus } from "../../../contracts/http/ledger/reconciliations.ts";
import type { StatementLine } from "../../../contracts/messages/bank-statements.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { LOG } from "../../platform/platform.module.ts";
import { changedStatement, type Statement, StatementRefused } from "./domain/bank-statement.ts";
import {
  classifyOpenItems,
  type ComparisonTimes,
  keyOfReference,
  type Movement,
  matchLines,
  reopenWhileHoldOpen,
} from "./domain/matching.ts";
import { resultOf } from "./domain/result.ts";
import {
  deleteParts,
  findStatement,
  insertStatement,
  lastStatement,
  statementIds,
} from "./store/bank-statements.ts";
import { expectedPostings, type CashSnapshot, cashMovements, readCash } from "./store/cash-movements.ts";
import type { PeriodClosing } from "../posting/store/accounting-periods.ts";
import {
  findRunOfStatement,
  insertRun,
  lastComparison,
  lastRun,
  openItems,
  type RunRow,
  type StoredItem,
} from "./store/reconciliations.ts";

/** The run of a statement, and the period that it closes when the transaction ends: null if it closes none. */
export interface Compared {
  readonly run: RunRow;
  readonly closing: PeriodClosing | null;
}

/** Compares statements with the ledger; every comparison is a run that never changes. */
@Injectable()
export class StatementReconciler {
  readonly #log: Logger;
  readonly #runs;

  constructor(@Inject(LOG) log: Logger, @Inject(Metrics) metrics: Metrics) {
    this.#log = log;
    this.#runs = metrics.counter("reconciliation_runs_total", "Reconciliation runs by status", ["status"]);
    // From 0, else an alert on growth would miss the first run of a process.
    for (const status of reconciliationStatus.options) this.#runs.inc({ status }, 0);
  }

  /**
   * Stores a complete statement and compares it with the ledger. A statement that was compared before returns its run.
   * The caller holds the book's reconciliation lock, and closes the period at the end (`closePeriods`).
   * Throws `StatementRefused` if the id is known with other content, or if the statement does not follow the last one.
   * @param cash the ledger as read before the bank chose the statement's end; by default it is read now.
   */
  async reconcileStatement(
    unit: UnitOfWork,
    book: BookId,
    statement: Statement,
    cash?: CashSnapshot,
  ): Promise<Compared> {
    const { header } = statement;
    const known = await findStatement(unit.sql, book, header.id);
    if (known !== undefined) {
      if (known.hash !== header.hash) throw changedStatement(header);
      const run = await findRunOfStatement(unit.sql, book, known.number);
      return { run: required(run, `the run of statement ${header.id} of ${book}`), closing: null };
    }
    const previous = await lastStatement(unit.sql, book);
    if (
      header.number !== (previous?.number ?? 0) + 1 ||
      header.previousStatementId !== (previous?.id ?? null)
    ) {
      throw new StatementRefused(`does not follow statement ${previous?.id ?? "none"}`, header);
    }
    const read = cash ?? required(await readCash(unit.sql, book), `the head of ${book}`);
    return this.#compare(unit, book, statement, read, previous?.closingCents ?? null);
  }

  /** Records that the statement of a banking day has not arrived. The caller holds the book's reconciliation lock. */
  async recordMissingStatement(unit: UnitOfWork, book: BookId, date: string): Promise<void> {
    const run = ((await lastRun(unit.sql, book))?.run ?? 0) + 1;
    const cash = required(await readCash(unit.sql, book), `the head of ${book}`);
    const id = newId("rec");
    const made = {
      book,
      run,
      id,
      date,
      cash,
      statementNumber: null,
      result: null,
      matchedCount: 0,
      items: [],
    };
    await insertRun(unit.sql, made);
    unit.afterCommit(() => {
      this.#runs.inc({ status: "NotReconciled" });
      this.#log.error(
        { book, date, reconciliation: id },
        "no bank statement has arrived: the day is not reconciled",
      );
    });
  }

  async #compare(
    unit: UnitOfWork,
    book: BookId,
    statement: Statement,
    cash: CashSnapshot,
    previousClosingCents: bigint | null,
  ): Promise<Compared> {
    const { sql } = unit;
    const { header, lines } = statement;
    const before = await lastComparison(sql, book);
    const since = {
      SettlementCash: before?.cash_version ?? 0n,
      StablecoinWallet: before?.wallet_version ?? 0n,
    };
    const movements = [
      ...(before === undefined
        ? []
        : await withRecordedAt(sql, book, await openItems(sql, book, before.run))),
      ...lines.map((line) => bankMovement(header, line)),
      ...(await cashMovements(sql, book, since, cash.versions, header.date)),
    ];
    const matched = matchLines(movements);
    const orders = [...matched.unmatched, ...matched.offsetting].flatMap(({ source, orderId }) =>
      source === "BankLine" && orderId !== null ? [orderId] : [],
    );
    const endsAt = new Date(header.endsAt);
    const { cutoffSequence } = cash;
    const expected = await expectedPostings(sql, book, orders, { cutoffSequence, endsAt });
    const matching = reopenWhileHoldOpen(matched, expected);
    const items = classifyOpenItems(matching, expected, timesOf(header, cash));
    const sides = {
      openingCents: BigInt(header.openingBalanceCents),
      closingCents: BigInt(header.closingBalanceCents),
      previousClosingCents,
      ledgerCashCents: cash.ledgerCashCents,
    };
    const result = resultOf(sides, items);
    await insertStatement(sql, book, statement);
    await insertRun(sql, {
      book,
      run: ((await lastRun(sql, book))?.run ?? 0) + 1,
      id: newId("rec"),
      date: header.date,
      statementNumber: header.number,
      cash,
      result,
      matchedCount: matching.matchedCount,
      items: items.map((item) => ({ ...item, ageBankingDays: ageOf(item, header.date) })),
    });
    await deleteParts(sql, book, header.id);
    const run = await findRunOfStatement(sql, book, header.number);
    const made = required(run, `the new run of statement ${header.id} of ${book}`);
    unit.afterCommit(() => this.#report(book, made));
    const closing = { book, through: endsAt, reason: `reconciled with statement ${header.id}` };
    return { run: made, closing: result.status === "Reconciled" ? closing : null };
  }

  #report(book: BookId, { status, reasons, reconciliation_id, difference_cents, date }: RunRow): void {
    this.#runs.inc({ status });
    const run = { book, date, status, reasons, reconciliation: idOf("rec", reconciliation_id) };
    if (status === "Reconciled") this.#log.info(run, "reconciled");
    else
      this.#log.error(
        { ...run, differenceCents: String(difference_cents) },
        "a reconciliation run is not Reconciled; an operator must look: docs/operate/ledger.md",
      );
  }
}

function required<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new TypeError(`${what} was not found`);
  return row;
}

/**
 * In a book with a clock of its own, the statement's end is a time of that clock, but the ledger appends entries in
 * real time. There, the statement's id says when the bank issued it in real time.
 */
function timesOf(
  { id, endsAt }: Statement["header"],
  { asOf, bookTime, hasClock }: CashSnapshot,
): ComparisonTimes {
  const end = new Date(endsAt);
  return {
    endsAt: end,
    appendedFrom: hasClock ? creationTimeOf(id) : end,
    readAt: bookTime,
    readAtReal: asOf,
  };
}

/** Banking days from the movement to `date`. */
function ageOf({ occurredAt }: Movement, date: string): number {
  return bankingDaysBetween(newYorkDate(occurredAt), date);
}

/** The open items of an earlier run; bank lines in transit with the time at which the bank issued their statement. */
async function withRecordedAt(sql: Sql, book: BookId, items: readonly StoredItem[]): Promise<Movement[]> {
  const isAwaited = ({ source, inTransit }: StoredItem) => source === "BankLine" && inTransit;
  const ids = await statementIds(
    sql,
    book,
    items.filter(isAwaited).map(({ number }) => number),
  );
  return items.map((item) => {
    const statement = isAwaited(item) ? ids.get(item.number) : undefined;
    return statement === undefined ? item : { ...item, recordedAt: creationTimeOf(statement) };
  });
}

function bankMovement({ id, number, date }: Statement["header"], line: StatementLine): Movement {
  const { customerReference, reference } = line;
  const orderId = customerReference !== null && isId("po", customerReference) ? customerReference : null;
  return {
    source: "BankLine",
    number,
    line: line.line,
    account: line.account,
    side: line.side,
    amountCents: BigInt(line.amountCents),
    // Normalized: one key for each id.
    matchKey: orderId === null ? keyOfReference(reference) : idOf("po", uuidOf(orderId)),
    reference,
    orderId,
    transactionId: null,
    kind: line.kind,
    occurredAt: new Date(line.occurredAt),
    recordedAt: creationTimeOf(id),
    firstSeen: date,
  };
}
