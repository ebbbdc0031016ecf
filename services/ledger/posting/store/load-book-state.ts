import type { BookId, LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import { pipeline } from "../../../platform/persistence/pipeline.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Account } from "../../book/account.ts";
import { accountsOf, type WorkingBook } from "../../book/book-state.ts";
import { chartAccountId } from "../../book/chart-of-accounts.ts";
import { type LedgerCommand, transactionOf } from "../../book/commands.ts";
import { expenseClassOf, liabilityOf, obligationOf } from "../../book/obligation.ts";
import { readAccounts } from "./accounts.ts";
import { readCalendars } from "./accounting-periods.ts";
import type { LockedHead } from "./lock-books.ts";
import type { AccountCache } from "./account-cache.ts";
import { readObligations } from "./obligations.ts";
import { readOutcomes } from "./command-outcomes.ts";
import { readManualDetails, readTransactions } from "./transactions.ts";

/** A command and the book that it is for. */
export interface BookCommand {
  readonly book: BookId;
  readonly command: LedgerCommand;
}

/**
 * Loads as much of each book as its commands need, in one to seven statements for the whole batch; two of them only for
 * manual commands. The heads must be locked, so nothing that is read can change before the commit.
 */
export async function loadBookState(
  sql: Sql,
  heads: ReadonlyMap<BookId, LockedHead>,
  commands: readonly BookCommand[],
  cache: AccountCache,
): Promise<Map<BookId, WorkingBook>> {
  const now = new Date();
  const books = new Map<BookId, WorkingBook>();
  for (const [id, { lastSequence }] of heads) {
    const [accounts, transactions, obligations, outcomes] = [new Map(), new Map(), new Map(), new Map()];
    books.set(id, { id, lastSequence, now, calendar: null, accounts, transactions, obligations, outcomes });
  }
  const known = commands.filter(({ book }) => books.has(book));
  const continued = known.filter(({ command }) => continuesTransaction(command));
  const reader = new AccountReader(sql, books, heads, cache);
  const [outcomes, transactions, details, calendars] = await pipeline(
    sql,
    (on) =>
      readOutcomes(on, distinct(known.map(({ book, command }) => ({ book, commandId: command.commandId })))),
    (on) => readTransactions(on, transactionKeys(continued)),
    (on) => readManualDetails(on, transactionKeys(continued.filter(({ command }) => isManualStep(command)))),
    (on) =>
      readCalendars(on, [
        ...new Set(known.filter(({ command }) => needsCalendar(command)).map(({ book }) => book)),
      ]),
    () =>
      reader.read([
        ...[...books.keys()].map((book) => ({ book, id: chartAccountId(book, "Suspense") })),
        ...known.flatMap(({ book, command }) => accountsNamedBy(book, command).map((id) => ({ book, id }))),
      ]),
  );
  for (const { book, commandId, requestHash, outcome } of outcomes) {
    books.get(book)?.outcomes.set(commandId, { requestHash, outcome });
  }
  for (const { book, transaction } of transactions) {
    books.get(book)?.transactions.set(transaction.id, transaction);
  }
  for (const { book, id, manual } of details) {
    const transaction = books.get(book)?.transactions.get(id);
    if (transaction !== undefined) books.get(book)?.transactions.set(id, { ...transaction, manual });
  }
  for (const [id, calendar] of calendars) {
    const book = books.get(id);
    if (book !== undefined) book.calendar = calendar;
  }
  // Accounts that no command names, but that a continued transaction moves.
  await reader.read(
    transactions.flatMap(({ book, transaction }) => accountsOf(transaction).map((id) => ({ book, id }))),
  );
  await readObligationsOfAccounts(sql, books);
  return books;
}

function transactionKeys(commands: readonly BookCommand[]) {
  return distinct(commands.map(({ book, command }) => ({ book, id: transactionOf(command) })));
}

/** PostPending without a date takes the hold's date, which a closed period may include by now. */
function needsCalendar(command: LedgerCommand): boolean {
  if (command.kind === "PostPending") return true;
  return (command.kind === "Post" || command.kind === "OpenPending") && command.effectiveAt !== null;
}

function isManualStep({ kind }: LedgerCommand): boolean {
  return kind === "PostPending" || kind === "VoidPending" || kind === "Reverse";
}

/** The obligations whose liability accounts were read. A batch without any sends no statement. */
async function readObligationsOfAccounts(sql: Sql, books: ReadonlyMap<BookId, WorkingBook>): Promise<void> {
  const keys = [...books.values()].flatMap((book) =>
    [...book.accounts.values()]
      .filter(({ class: accountClass }) => accountClass === "ObligationLiability")
      .map(({ id }) => ({ book: book.id, id: obligationOf(id) })),
  );
  for (const obligation of await readObligations(sql, keys)) {
    books.get(obligation.book)?.obligations.set(obligation.id, obligation);
  }
}

/**
 * Commands that open a transaction and need no look-up of it: `journal_one_opening` refuses a second opening. Suspense
 * opens one too, but is rare and looked up.
 */
const openingsWithoutLookup: ReadonlySet<LedgerCommand["kind"]> = new Set([
  "Hold",
  "Post",
  "OpenPending",
  "Accrue",
  "Inbound",
  "Assign",
]);
function continuesTransaction({ kind }: LedgerCommand): boolean {
  return !openingsWithoutLookup.has(kind);
}

/** Puts accounts into their books: from the cache, and the others with one statement. */
class AccountReader {
  readonly #sql: Sql;
  readonly #books: ReadonlyMap<BookId, WorkingBook>;
  readonly #cached: ReadonlyMap<BookId, ReadonlyMap<LedgerAccountId, Account>>;

  constructor(
    sql: Sql,
    books: ReadonlyMap<BookId, WorkingBook>,
    heads: ReadonlyMap<BookId, LockedHead>,
    cache: AccountCache,
  ) {
    this.#sql = sql;
    this.#books = books;
    this.#cached = new Map([...heads].map(([book, head]) => [book, cache.get(book, head)]));
  }

  /** Each account is read once; accounts that do not exist are left out. */
  async read(named: readonly { readonly book: BookId; readonly id: LedgerAccountId }[]): Promise<void> {
    const missing: { book: BookId; id: LedgerAccountId }[] = [];
    for (const { book, id } of named) {
      const accounts = this.#books.get(book)?.accounts;
      if (accounts === undefined || accounts.has(id)) continue;
      const account = this.#cached.get(book)?.get(id);
      if (account === undefined) missing.push({ book, id });
      else accounts.set(id, account);
    }
    if (missing.length === 0) return;
    for (const { book, account } of await readAccounts(this.#sql, distinct(missing))) {
      this.#books.get(book)?.accounts.set(account.id, account);
    }
  }
}

function accountsNamedBy(book: BookId, command: LedgerCommand): LedgerAccountId[] {
  if (command.kind === "Post" || command.kind === "OpenPending")
    return command.lines.map((line) => line.ledgerAccountId);
  if (command.kind === "Suspense") return [chartAccountId(book, command.contra.kind)];
  if (command.kind === "Assign") return [command.ledgerAccountId];
  if (command.kind === "Inbound") {
    const { ledgerAccountId, contra } = command;
    return [chartAccountId(book, contra.kind), ...(ledgerAccountId === null ? [] : [ledgerAccountId])];
  }
  if (command.kind === "Accrue") {
    const expenses = Object.values(expenseClassOf).map((expense) => chartAccountId(book, expense));
    return [liabilityOf(command.obligationId), ...expenses];
  }
  if (command.kind !== "Hold") return [];
  const { contra } = command;
  if (contra.kind === "Obligation") {
    const chart = [...Object.values(expenseClassOf), "SettlementCash", "StablecoinWallet"] as const;
    return [
      command.ledgerAccountId,
      liabilityOf(contra.obligationId),
      ...chart.map((accountClass) => chartAccountId(book, accountClass)),
    ];
  }
  return [
    command.ledgerAccountId,
    contra.kind === "LedgerAccount" ? contra.ledgerAccountId : chartAccountId(book, contra.kind),
  ];
}

/** Each key once, because a lookup per key returns a row per key. */
function distinct<K extends Readonly<Record<string, string>>>(keys: readonly K[]): K[] {
  return [...new Map(keys.map((key) => [Object.values(key).join("/"), key])).values()];
}
