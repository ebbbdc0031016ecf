import type { BookId, LedgerAccountId, LedgerTransactionId } from "../../../../contracts/ids/ids.ts";
import { type BookClock, timeIn } from "../../../../contracts/book-clock.ts";
import { realTime } from "../../../platform/clock/real-time.ts";
import { readClocks } from "../../../platform/clock/book-clocks.ts";
import { pipeline } from "../../../platform/persistence/pipeline.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Account } from "../../book/account.ts";
import { accountsOf, type Transaction, type WorkingBook } from "../../book/book-state.ts";
import { chartAccountId } from "../../book/chart-of-accounts.ts";
import { type LedgerCommand, transactionOf } from "../../book/commands.ts";
import { expenseClassOf, liabilityOf, obligationOf } from "../../book/obligation.ts";
import { readAccounts } from "./accounts.ts";
import { readCalendars } from "./accounting-periods.ts";
import type { BookCache, CachedBook } from "./book-cache.ts";
import type { LockBooks, LockedHead } from "./lock-books.ts";
import { readObligations } from "./obligations.ts";
import { readOutcomes } from "./command-outcomes.ts";
import { readManualDetails, readTransactions } from "./transactions.ts";

/** A command and the book that it is for. */
export interface BookCommand {
  readonly book: BookId;
  readonly command: LedgerCommand;
}

/** Books whose heads are locked, and as much of their state as the commands of a batch need. */
export interface LoadedBooks {
  readonly heads: ReadonlyMap<BookId, LockedHead>;
  readonly books: ReadonlyMap<BookId, WorkingBook>;
}

/**
 * Locks the books of a batch and loads what its commands need; books that don't exist are left out. It does not read
 * what the cache has of a book: it assumes that the book's head is unchanged, so that the lock and the reads take one
 * round trip. If the head has changed, it reads the rest afterwards. Every read runs after the lock, so nothing that is
 * read can change before the commit.
 */
export async function lockAndLoadBooks(
  sql: Sql,
  commands: readonly BookCommand[],
  { lock, cache }: { readonly lock: LockBooks; readonly cache: BookCache },
): Promise<LoadedBooks> {
  const ids = [...new Set(commands.map(({ book }) => book))];
  const accounts = distinct(
    [
      ...ids.map((book) => ({ book, id: chartAccountId(book, "Suspense") })),
      ...commands.flatMap(({ book, command }) => accountsNamedBy(book, command).map((id) => ({ book, id }))),
    ],
    textOf,
  );
  const continued = commands.filter(({ command }) => continuesTransaction(command));
  const transactions = transactionKeys(continued);
  const unknown = {
    accounts: accounts.filter(({ book, id }) => cache.guess(book)?.accounts.has(id) !== true),
    transactions: transactions.filter(({ book, id }) => cache.guess(book)?.openHolds.has(id) !== true),
  };
  const calendarBooks = [...new Set(commands.filter(needsCalendar).map(({ book }) => book))];
  const [heads, outcomes, firstTransactions, details, calendars, clocks, firstAccounts] = await pipeline(
    sql,
    (on) => lock(on, ids),
    (on) => readOutcomes(on, outcomeKeys(commands)),
    (on) => readTransactions(on, unknown.transactions),
    (on) => readManualDetails(on, transactionKeys(continued.filter(({ command }) => isManualStep(command)))),
    (on) => readCalendars(on, calendarBooks),
    (on) => readClocks(on, calendarBooks),
    (on) => readAccounts(on, unknown.accounts),
  );
  const state = new StateReader(sql, { heads, clocks, cache });
  state.addTransactions(unknown.transactions, firstTransactions);
  state.addAccounts(unknown.accounts, firstAccounts);
  await Promise.all([state.needTransactions(transactions), state.needAccounts(accounts)]);
  const { books } = state;
  for (const { book, commandId, requestHash, outcome } of outcomes) {
    books.get(book)?.outcomes.set(commandId, { requestHash, outcome });
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
  await state.needAccounts(
    [...books.values()].flatMap(({ id: book, transactions: loaded }) =>
      [...loaded.values()].flatMap((transaction) => accountsOf(transaction).map((id) => ({ book, id }))),
    ),
  );
  await readObligationsOfAccounts(sql, books);
  return { heads, books };
}

function outcomeKeys(commands: readonly BookCommand[]) {
  const keys = commands.map(({ book, command }) => ({ book, commandId: command.commandId }));
  return distinct(keys, ({ book, commandId }) => `${book}/${commandId}`);
}

function transactionKeys(commands: readonly BookCommand[]) {
  return distinct(
    commands.map(({ book, command }) => ({ book, id: transactionOf(command) })),
    textOf,
  );
}

/**
 * A caller's date is checked against the book's closed periods and its time; without one, the ledger chooses it. The
 * other commands bring their dates.
 */
function needsCalendar({ command }: BookCommand): boolean {
  return command.kind === "Post" || command.kind === "OpenPending" || isManualStep(command);
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
  "UnmatchedReturn",
  "Assign",
]);
function continuesTransaction({ kind }: LedgerCommand): boolean {
  return !openingsWithoutLookup.has(kind);
}

interface AccountKey {
  readonly book: BookId;
  readonly id: LedgerAccountId;
}
interface TransactionKey {
  readonly book: BookId;
  readonly id: LedgerTransactionId;
}

interface Known {
  readonly heads: ReadonlyMap<BookId, LockedHead>;
  /** Of the books that have one of their own, if a command needs a date from the ledger, or a check of its date. */
  readonly clocks: ReadonlyMap<BookId, BookClock>;
  readonly cache: BookCache;
}

/** Fills the books of a batch: from the cache where the locked head confirms it, and the rest with one statement. */
class StateReader {
  readonly books = new Map<BookId, WorkingBook>();
  readonly #sql: Sql;
  readonly #cached = new Map<BookId, CachedBook>();
  /** Keys that were read, whether or not a row was found. */
  readonly #read = new Set<string>();

  constructor(sql: Sql, { heads, clocks, cache }: Known) {
    this.#sql = sql;
    const realNow = realTime();
    for (const [id, head] of heads) {
      const [accounts, transactions, obligations, outcomes] = [new Map(), new Map(), new Map(), new Map()];
      const { lastSequence } = head;
      const clock = clocks.get(id);
      const now = clock === undefined ? realNow : timeIn(clock, realNow);
      this.books.set(id, {
        id,
        lastSequence,
        now,
        calendar: null,
        accounts,
        transactions,
        obligations,
        outcomes,
      });
      const cached = cache.get(id, head);
      if (cached !== undefined) this.#cached.set(id, cached);
    }
  }

  addAccounts(keys: readonly AccountKey[], rows: readonly { book: BookId; account: Account }[]): void {
    for (const key of keys) this.#read.add(textOf(key));
    for (const { book, account } of rows) this.books.get(book)?.accounts.set(account.id, account);
  }

  addTransactions(
    keys: readonly TransactionKey[],
    rows: readonly { book: BookId; transaction: Transaction }[],
  ): void {
    for (const key of keys) this.#read.add(textOf(key));
    for (const { book, transaction } of rows)
      this.books.get(book)?.transactions.set(transaction.id, transaction);
  }

  /** Accounts that don't exist are left out. */
  async needAccounts(keys: readonly AccountKey[]): Promise<void> {
    const missing = distinct(keys, textOf).filter(({ book, id }) => {
      const accounts = this.books.get(book)?.accounts;
      const cached = this.#cached.get(book)?.accounts.get(id);
      if (cached !== undefined && accounts?.has(id) === false) accounts.set(id, cached);
      return accounts !== undefined && !accounts.has(id) && !this.#read.has(textOf({ book, id }));
    });
    this.addAccounts(missing, await readAccounts(this.#sql, missing));
  }

  /** Transactions that don't exist are left out. */
  async needTransactions(keys: readonly TransactionKey[]): Promise<void> {
    const missing = keys.filter(({ book, id }) => {
      const transactions = this.books.get(book)?.transactions;
      const cached = this.#cached.get(book)?.openHolds.get(id);
      if (cached !== undefined && transactions?.has(id) === false) transactions.set(id, cached);
      return transactions !== undefined && !transactions.has(id) && !this.#read.has(textOf({ book, id }));
    });
    this.addTransactions(missing, await readTransactions(this.#sql, missing));
  }
}

const textOf = ({ book, id }: AccountKey | TransactionKey) => `${book}/${id}`;

function accountsNamedBy(book: BookId, command: LedgerCommand): LedgerAccountId[] {
  if (command.kind === "Post" || command.kind === "OpenPending")
    return command.lines.map((line) => line.ledgerAccountId);
  if (command.kind === "Suspense" || command.kind === "UnmatchedReturn")
    return [chartAccountId(book, command.contra.kind)];
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
function distinct<K>(keys: readonly K[], textOfKey: (key: K) => string): K[] {
  return [...new Map(keys.map((key) => [textOfKey(key), key])).values()];
}
