import type { BookId, LedgerAccountId } from "../../../contracts/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";

import { accountsOf, type WorkingBook } from "../domain/book.ts";
import { chartAccountId } from "../domain/chart-of-accounts.ts";
import { type LedgerCommand, transactionOf } from "../domain/command.ts";
import { expenseClassOf, liabilityOf, obligationOf } from "../domain/obligation.ts";
import { readAccounts } from "./accounts.ts";
import { readObligations } from "./obligations.ts";
import { readOutcomes } from "./outcomes.ts";
import { readTransactions } from "./transactions.ts";

/** A command and the book that it is for. */
export interface BookCommand {
  readonly book: BookId;
  readonly command: LedgerCommand;
}

/**
 * Reads as much of each book as its commands need, in three or four statements for the whole batch. The heads must be
 * locked first: then nothing that is read here can change before the commit.
 */
export async function readWorkingBooks(
  sql: Sql,
  heads: ReadonlyMap<BookId, number>,
  commands: readonly BookCommand[],
): Promise<Map<BookId, WorkingBook>> {
  const books = new Map<BookId, WorkingBook>();
  for (const [id, lastSequence] of heads) {
    books.set(id, {
      id,
      lastSequence,
      accounts: new Map(),
      transactions: new Map(),
      obligations: new Map(),
      outcomes: new Map(),
    });
  }
  const known = commands.filter(({ book }) => books.has(book));
  const named = [
    ...[...books.keys()].map((book) => ({ book, id: chartAccountId(book, "Suspense") })),
    ...known.flatMap(({ book, command }) => accountsNamedBy(book, command).map((id) => ({ book, id }))),
  ];
  const [outcomes, transactions, accounts] = await Promise.all([
    readOutcomes(sql, distinct(known.map(({ book, command }) => ({ book, commandId: command.commandId })))),
    readTransactions(
      sql,
      distinct(
        known
          .filter(({ command }) => goesOn(command))
          .map(({ book, command }) => ({ book, id: transactionOf(command) })),
      ),
    ),
    readAccounts(sql, distinct(named)),
  ]);
  for (const { book, commandId, requestHash, outcome } of outcomes) {
    books.get(book)?.outcomes.set(commandId, { requestHash, outcome });
  }
  for (const { book, transaction } of transactions) {
    books.get(book)?.transactions.set(transaction.id, transaction);
  }
  for (const { book, account } of accounts) books.get(book)?.accounts.set(account.id, account);
  await readAccountsOfTransactions(sql, books);
  await readObligationsOfAccounts(sql, books);
  return books;
}

/** The obligations whose liabilities were read: a batch without any asks nothing. */
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

/** What opens a transaction needs none to be there: if one is, `journal_one_opening` refuses the second opening. */
const openings: ReadonlySet<LedgerCommand["kind"]> = new Set([
  "Hold",
  "Post",
  "OpenPending",
  "Accrue",
  "Inbound",
  "Assign",
]);
function goesOn({ kind }: LedgerCommand): boolean {
  return !openings.has(kind);
}

/** The accounts that no command names, but a transaction that a command goes on with. */
async function readAccountsOfTransactions(sql: Sql, books: ReadonlyMap<BookId, WorkingBook>): Promise<void> {
  const missing = [...books.values()].flatMap((book) =>
    [...book.transactions.values()]
      .flatMap(accountsOf)
      .filter((id) => !book.accounts.has(id))
      .map((id) => ({ book: book.id, id })),
  );
  if (missing.length === 0) return;
  for (const { book, account } of await readAccounts(sql, distinct(missing))) {
    books.get(book)?.accounts.set(account.id, account);
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

/** Each key once, so that a probe per key gives each row once. */
function distinct<K extends Readonly<Record<string, string>>>(keys: readonly K[]): K[] {
  return [...new Map(keys.map((key) => [Object.values(key).join("/"), key])).values()];
}
