import { Controller, Inject } from "@nestjs/common";
import { errorCatalogue, Refusal } from "../../../contracts/errors.ts";
import type {
  LedgerTransaction,
  LedgerTransactionCreate,
  LedgerTransactionEntryBody,
} from "../../../contracts/http/ledger/ledger-transactions.ts";
import {
  type BookId,
  isId,
  type LedgerAccountId,
  type LedgerTransactionId,
  newId,
  newUuid,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import { CreateLedgerTransaction } from "../../../contracts/messages/ledger-transactions.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { earliestDeadline, lateRefusal } from "../../platform/handlers/deadline.ts";
import { withIdempotency, withIdempotencyBatch } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { asError } from "../../platform/as-error.ts";
import { bisect } from "../../platform/bisect.ts";
import { MicroBatch } from "../../platform/runtime/micro-batch.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { digestOfTransaction } from "../book/details.ts";
import { rejectLinesAndBasis } from "../book/decide/posting.ts";
import type { Rejection } from "../book/rejections.ts";
import { findAccountIds } from "../accounts/store/accounts.ts";
import { hasBook } from "../posting/store/lock-books.ts";
import { approvalRequired, needsApproval } from "./require-approval.ts";
import { readTransactionPolicy, type TransactionPolicy } from "./store/transaction-policies.ts";
import { insertDetails } from "./store/transaction-details.ts";
import { findTransactions, toLedgerTransaction } from "./store/transactions.ts";
import { postJournals } from "../posting/post-journals.ts";
import { toRefusal } from "./to-refusal.ts";

type Answer = LedgerTransaction | IdempotentReplay<LedgerTransaction>;
interface Creation {
  readonly body: LedgerTransactionCreate;
  readonly context: RequestContext;
}
interface Opened {
  readonly body: LedgerTransactionCreate;
  readonly command: ReturnType<typeof commandOf>;
}
const operation = { name: "create-transaction", resourceId: ({ id }: LedgerTransaction) => id };
const maxBatchSize = 50;

/**
 * Creates manual transactions: money that a tenant moves between its own accounts, at once or held until it is posted
 * or voided. A book has one writer at a time, so requests for a book that arrive together share a database transaction.
 */
@Controller()
export class CreateTransaction {
  readonly #units: UnitOfWorkRunner;
  /** One per book; never removed, because they are small and a tenant has only two books. */
  readonly #batches = new Map<BookId, MicroBatch<Creation, Answer>>();

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * Refusals: `unbalanced_transaction`, `basis_is_demo_data`, `basis_missing_input`, `ledger_account_not_found`,
   * `effective_date_invalid`, `external_id_in_use`, `approval_required`, the rejections of `decidePosting`; a frozen
   * book.
   */
  @HandlesRequest(CreateLedgerTransaction)
  create(body: LedgerTransactionCreate, context: RequestContext): Promise<Answer> {
    return this.#batchOf(context.caller.book).add({ body, context });
  }

  #batchOf(book: BookId): MicroBatch<Creation, Answer> {
    const open = this.#batches.get(book);
    if (open !== undefined) return open;
    const batch = new MicroBatch<Creation, Answer>((creations) => this.#createAll(book, creations), {
      maxItems: maxBatchSize,
      maxInFlight: 1,
      refuse: ({ context }) => lateRefusal(context),
    });
    this.#batches.set(book, batch);
    return batch;
  }

  /**
   * Creates all in one database transaction. If one is refused or repeated, it retries in halves, so that only that one
   * gets another answer.
   */
  #createAll(book: BookId, creations: readonly Creation[]): Promise<readonly (Answer | Error)[]> {
    return bisect<Creation, Answer | Error>(
      creations,
      (together) =>
        this.#units.runFor(
          { caller: { book }, ...earliestDeadline(together.map(({ context }) => context)) },
          (unit) => createTogether(unit, book, together),
        ),
      (failed, error) => failed.map(() => asError(error)),
    );
  }
}

/**
 * A single request waits while another holds its Idempotency-Key. Several do not wait: they throw if any of their keys
 * is held or known.
 */
async function createTogether(
  unit: UnitOfWork,
  book: BookId,
  creations: readonly Creation[],
): Promise<Answer[]> {
  const [first, ...others] = creations;
  if (first === undefined) return [];
  if (others.length > 0) {
    const contexts = creations.map(({ context }) => context);
    return withIdempotencyBatch(unit, contexts, operation, () => openAll(unit.sql, book, creations));
  }
  const answer = await withIdempotency(unit, first.context, operation, async () => {
    const [opened] = await openAll(unit.sql, book, [first]);
    return opened as LedgerTransaction;
  });
  return [answer];
}

/** Opens all these transactions, or throws the refusal of one of them. */
async function openAll(sql: Sql, book: BookId, creations: readonly Creation[]): Promise<LedgerTransaction[]> {
  for (const { body } of creations) refuseLinesAndBasis(body);
  // Looked up before the book is locked, because accounts never change their names.
  const accountIds = await Promise.all(creations.map(({ body }) => resolveAccounts(sql, book, body.entries)));
  const [bookExists, policy] = await Promise.all([hasBook(sql, book), readTransactionPolicy(sql, book)]);
  if (!bookExists) throw accountNotFound(0, "ledgerAccountId");
  for (const { body } of creations) refuseUnapproved(body, policy);
  const opened = creations.map(
    (creation, index): Opened => ({
      body: creation.body,
      command: commandOf(creation, accountIds[index] ?? []),
    }),
  );
  const outcomes = await postJournals(
    sql,
    opened.map(({ command }) => ({ book, command })),
  );
  opened.forEach((each, index) => {
    const outcome = outcomes[index];
    if (outcome?.result === "Refused") throw refusalOf(outcome, each);
  });
  const ids = opened.map(({ command }) => command.transactionId);
  const details = opened.map(({ body, command }, index) => ({
    id: command.transactionId,
    body,
    createdBy: creations[index]?.context.caller.principal ?? "",
  }));
  const [kept, rows] = await Promise.all([
    insertDetails(sql, uuidOf(book), details),
    findTransactions(sql, uuidOf(book), ids),
  ]);
  if (kept < details.length) throw externalIdInUse();
  return ids.map((id) => toLedgerTransaction(rows.get(id) ?? lost(id)));
}

/** Applies the rules of `decide` that need no book (lines and basis): a request that they reject locks no book. */
function refuseLinesAndBasis({ entries, currency, status, basis }: LedgerTransactionCreate): void {
  const lines = entries.map((entry) => ({ ...entry, currency }));
  const rejection = rejectLinesAndBasis({ kind: kindOf(status), basis, lines });
  if (rejection !== null) throw toRefusal(rejection);
}

/** Refusals: `approval_required`. */
function refuseUnapproved(
  { status, entries }: LedgerTransactionCreate,
  policy: TransactionPolicy | undefined,
): void {
  if (policy !== undefined && status === "Posted" && needsApproval(policy, entries)) {
    throw approvalRequired(policy);
  }
}

const kindOf = (status: LedgerTransactionCreate["status"]) => (status === "Posted" ? "Post" : "OpenPending");

function commandOf({ body, context }: Creation, accountIds: readonly LedgerAccountId[]) {
  const {
    entries,
    currency,
    status,
    basis,
    effectiveAt,
    description,
    externalId = null,
    metadata = {},
  } = body;
  return {
    kind: kindOf(status),
    commandId: newUuid(),
    transactionId: newId("lt"),
    lines: entries.map(({ direction, amountCents }, index) => ({
      ledgerAccountId: accountIds[index] as LedgerAccountId,
      direction,
      amountCents,
      currency,
    })),
    basis,
    effectiveAt: effectiveAt ?? null,
    detailsDigest: digestOfTransaction({
      description,
      basis,
      externalId,
      createdBy: context.caller.principal,
      metadata,
    }),
  } as const;
}

/** Points to every entry of the account that caused the refusal. */
function refusalOf(rejection: Rejection, { body, command }: Opened): Refusal {
  const { code, detail, accountId, availableCents } = rejection;
  if (accountId === undefined) return toRefusal(rejection);
  const errors = body.entries.flatMap(({ ledgerAccountId }, index) => {
    if (command.lines[index]?.ledgerAccountId !== accountId) return [];
    const field = ledgerAccountId === undefined ? "ledgerAccountName" : "ledgerAccountId";
    return [{ pointer: `/entries/${String(index)}/${field}`, code, message: errorCatalogue[code].title }];
  });
  // Left out if no JSON number holds it.
  const available = Number(availableCents);
  const context = Number.isSafeInteger(available) ? { availableBalanceCents: available } : {};
  return new Refusal(code, detail, { errors, context: { resourceId: accountId, ...context } });
}

function lost(id: LedgerTransactionId): never {
  throw new TypeError(`${id} was written but not found`);
}

/** The account ids of the entries, in order. `decide` checks later whether they may be posted to. */
async function resolveAccounts(
  sql: Sql,
  book: BookId,
  entries: readonly LedgerTransactionEntryBody[],
): Promise<LedgerAccountId[]> {
  const names = entries.flatMap(({ ledgerAccountName: name }) => (name === undefined ? [] : [name]));
  const named = await findAccountIds(sql, uuidOf(book), [...new Set(names)]);
  return entries.map(({ ledgerAccountId, ledgerAccountName = "" }, index) => {
    if (ledgerAccountId === undefined) {
      const id = named.get(ledgerAccountName);
      if (id === undefined) throw accountNotFound(index, "ledgerAccountName");
      return id;
    }
    if (!isId("la", ledgerAccountId)) throw accountNotFound(index, "ledgerAccountId");
    return ledgerAccountId;
  });
}

function accountNotFound(index: number, field: string): Refusal {
  const pointer = `/entries/${String(index)}/${field}`;
  return new Refusal(
    "ledger_account_not_found",
    `${pointer} names no ledger account of this book. Check its id, or its name (exact, case-sensitive).`,
    { errors: [{ pointer, code: "ledger_account_not_found", message: "is not in this book" }] },
  );
}

function externalIdInUse(): Refusal {
  const detail =
    "Another ledger transaction has this externalId. The list shows it if you filter by externalId. Choose another externalId, or none.";
  return new Refusal("external_id_in_use", detail, {
    errors: [{ pointer: "/externalId", code: "external_id_in_use", message: "is in use in this book" }],
  });
}
