import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../contracts/errors.ts";
import type {
  LedgerTransaction,
  LedgerTransactionCreate,
  LedgerTransactionEntryBody,
} from "../../contracts/http/ledger-transactions.ts";
import { type BookId, isId, type LedgerAccountId, newId, newUuid, uuidOf } from "../../contracts/ids.ts";
import { CreateLedgerTransaction } from "../../contracts/messages/ledger-transactions.ts";
import { Answers, type Ask, type Replayed } from "../platform/messaging/decorators.ts";
import { onlyOnce } from "../platform/messaging/idempotency.ts";
import { Units } from "../platform/messaging/unit.ts";
import type { Sql } from "../platform/persistence/sql.ts";
import { refuseBasis, refuseDate, refuseFor } from "./refuse-manual.ts";
import { whyUnbalanced } from "./domain/refusals.ts";
import { findAccountIds } from "./store/account-pages.ts";
import { lockBooks } from "./store/books.ts";
import { findTransaction, insertDetail, toLedgerTransaction } from "./store/transaction-pages.ts";
import { noSuchTransaction } from "./read-transactions.ts";
import { writeJournals } from "./write-journals.ts";

/** Moves money between a tenant's own accounts, at once or held until it is posted or voided. */
@Controller()
export class CreateTransaction {
  readonly #units: Units;

  constructor(@Inject(Units) units: Units) {
    this.#units = units;
  }

  /**
   * Refusals: `unbalanced_transaction`, `basis_is_demo_data`, `basis_missing_input`, `ledger_account_not_found`,
   * `effective_date_invalid`, `external_id_in_use`, what `apply` refuses of a manual movement; a frozen book.
   */
  @Answers(CreateLedgerTransaction)
  create(body: LedgerTransactionCreate, ask: Ask): Promise<LedgerTransaction | Replayed<LedgerTransaction>> {
    const operation = { name: "create-transaction", resourceId: ({ id }: LedgerTransaction) => id };
    return this.#units.run((unit) => onlyOnce(unit, ask, operation, () => open(unit.sql, body, ask)));
  }
}

async function open(sql: Sql, body: LedgerTransactionCreate, { caller }: Ask): Promise<LedgerTransaction> {
  const { book, tenant: tenantId, mode } = caller;
  const { currency, status } = body;
  const unbalanced = whyUnbalanced(body.entries.map((entry) => ({ ...entry, currency })));
  if (unbalanced !== null) throw new Refusal(unbalanced.code, unbalanced.detail);
  if (status === "Posted") refuseBasis(body.basis);
  // Names never change, so they are looked up before the head is locked: others wait for nothing.
  const accountIds = await resolveAccounts(sql, book, body.entries);
  if (body.effectiveAt !== undefined) {
    await lockBooks(sql, [book]);
    await refuseDate(sql, book, new Date(body.effectiveAt));
  }
  const id = newId("lt");
  const command = {
    kind: status === "Posted" ? "Post" : "OpenPending",
    commandId: newUuid(),
    tenantId,
    mode,
    transactionId: id,
    lines: body.entries.map(({ direction, amountCents }, place) => ({
      ledgerAccountId: accountIds[place] as LedgerAccountId,
      direction,
      amountCents,
      currency,
    })),
    effectiveAt: new Date(body.effectiveAt ?? Date.now()).toISOString(),
  } as const;
  const [outcome] = await writeJournals(sql, [{ book, command }]);
  if (outcome?.result === "Refused") throw refuseFor(outcome);
  const [isKept, row] = await Promise.all([
    insertDetail(sql, uuidOf(book), id, body),
    findTransaction(sql, uuidOf(book), id),
  ]);
  if (!isKept) throw externalIdInUse();
  if (row === undefined) throw noSuchTransaction();
  return toLedgerTransaction(row);
}

/** The accounts of the entries, in their order. Whether they may be posted to is the ledger's own decision. */
async function resolveAccounts(
  sql: Sql,
  book: BookId,
  entries: readonly LedgerTransactionEntryBody[],
): Promise<LedgerAccountId[]> {
  const names = entries.flatMap(({ ledgerAccountName: name }) => (name === undefined ? [] : [name]));
  const named = await findAccountIds(sql, uuidOf(book), [...new Set(names)]);
  return entries.map(({ ledgerAccountId, ledgerAccountName = "" }, place) => {
    if (ledgerAccountId === undefined) {
      const id = named.get(ledgerAccountName);
      if (id === undefined) throw noSuchAccount(place, "ledgerAccountName");
      return id;
    }
    if (!isId("la", ledgerAccountId)) throw noSuchAccount(place, "ledgerAccountId");
    return ledgerAccountId;
  });
}

function noSuchAccount(place: number, field: string): Refusal {
  const pointer = `/entries/${String(place)}/${field}`;
  return new Refusal(
    "ledger_account_not_found",
    `${pointer} names no ledger account of this book. Name one by its id or its exact name.`,
    { errors: [{ pointer, code: "ledger_account_not_found", message: "is not in this book" }] },
  );
}

function externalIdInUse(): Refusal {
  const detail = "Another ledger transaction has this externalId. Choose another, or none.";
  return new Refusal("external_id_in_use", detail, {
    errors: [{ pointer: "/externalId", code: "external_id_in_use", message: "is in use in this book" }],
  });
}
