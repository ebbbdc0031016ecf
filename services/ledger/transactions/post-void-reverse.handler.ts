import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  LedgerTransaction,
  TransactionOwner,
} from "../../../contracts/http/ledger/ledger-transactions.ts";
import { type BookId, isId, type LedgerTransactionId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  PostLedgerTransaction,
  ReverseLedgerTransaction,
  VoidLedgerTransaction,
} from "../../../contracts/messages/ledger-transactions.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { digestOfNote } from "../book/details.ts";
import type { Rejection } from "../book/rejections.ts";
import { toRefusal } from "./to-refusal.ts";
import { hasBook } from "../posting/store/lock-books.ts";
import {
  type Approving,
  needsApproval,
  requireAnothersProposal,
  requireApprover,
  reversalNeedsApproval,
} from "./require-approval.ts";
import { insertNote, readCreator } from "./store/transaction-details.ts";
import { readTransactionPolicy } from "./store/transaction-policies.ts";
import { findTransaction, toLedgerTransaction } from "./store/transactions.ts";
import { postJournals } from "../posting/post-journals.ts";

type Answered = Promise<LedgerTransaction | IdempotentReplay<LedgerTransaction>>;
interface Continuation {
  readonly kind: "PostPending" | "VoidPending" | "Reverse";
  readonly id: string;
  readonly description?: string | undefined;
  readonly effectiveAt?: string | null | undefined;
  readonly mayApprove?: boolean | undefined;
  readonly mayWrite?: boolean | undefined;
}

/** Posts, voids or reverses a manual transaction. Each step appends a journal to it. */
@Controller()
export class PostVoidReverse {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * Refusals: as `#continue` and `checkApproval`, `basis_is_demo_data`, `basis_missing_input`,
   * `effective_date_invalid`, `balance_out_of_range`.
   */
  @HandlesRequest(PostLedgerTransaction)
  post(
    { id, effectiveAt, mayApprove, mayWrite }: z.output<typeof PostLedgerTransaction.data>,
    context: RequestContext,
  ): Answered {
    return this.#continue({ kind: "PostPending", id, effectiveAt, mayApprove, mayWrite }, context);
  }

  /** Refusals: as `#continue`. */
  @HandlesRequest(VoidLedgerTransaction)
  void(
    { id, mayApprove, mayWrite }: z.output<typeof VoidLedgerTransaction.data>,
    context: RequestContext,
  ): Answered {
    return this.#continue({ kind: "VoidPending", id, mayApprove, mayWrite }, context);
  }

  /**
   * Refusals: as `#continue` and `checkApproval`, `already_reversed`, `ledger_account_closed`, `balance_out_of_range`.
   */
  @HandlesRequest(ReverseLedgerTransaction)
  reverse(
    { id, description }: z.output<typeof ReverseLedgerTransaction.data>,
    context: RequestContext,
  ): Answered {
    return this.#continue({ kind: "Reverse", id, description }, context);
  }

  /**
   * Refusals: `not_found`, `transaction_owned`, `invalid_state_transition`; `insufficient_scope` to a caller who may
   * only approve, for their own transaction; `service_unavailable` (the book is frozen).
   */
  #continue(continuation: Continuation, context: RequestContext): Answered {
    const operation = {
      name: `${continuation.kind}-transaction`,
      resourceId: ({ id }: LedgerTransaction) => id,
    };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => continueTransaction(unit.sql, continuation, context)),
    );
  }
}

async function continueTransaction(
  sql: Sql,
  { kind, id, description, effectiveAt = null, mayApprove = false, mayWrite = true }: Continuation,
  { caller: { book, principal } }: RequestContext,
): Promise<LedgerTransaction> {
  if (!isId("lt", id) || !(await hasBook(sql, book))) throw notFound("ledger transaction");
  const details = description === undefined ? {} : { detailsDigest: digestOfNote(description) };
  const command = { kind, commandId: newUuid(), transactionId: id, effectiveAt, ...details } as const;
  const [outcome] = await postJournals(sql, [{ book, command }]);
  if (outcome?.result === "Refused") throw await refusalOf(sql, book, outcome, command);
  // After the journal is appended, so that a refusal of the transaction itself comes first. These roll it back.
  if (!mayWrite) {
    const proposedBy = await readCreator(sql, uuidOf(book), id);
    requireAnothersProposal({ principal, mayApprove, proposedBy });
  }
  if (kind !== "VoidPending") await checkApproval(sql, { book, id, kind }, { principal, mayApprove });
  if (outcome !== undefined && description !== undefined)
    await insertNote(sql, uuidOf(book), outcome.sequence, description);
  return read(sql, uuidOf(book), id);
}

/**
 * Posting is the approval of a transaction that the policy lets nobody post alone. A reversal moves the same amount
 * back and has no step that another principal could take, so it is refused. Refusals: `insufficient_scope`,
 * `self_approval_not_allowed`, `approval_required`.
 */
async function checkApproval(
  sql: Sql,
  { book, id, kind }: { book: BookId; id: LedgerTransactionId; kind: "PostPending" | "Reverse" },
  by: Omit<Approving, "creator">,
): Promise<void> {
  const policy = await readTransactionPolicy(sql, book);
  if (policy?.approvalRequired !== true) return;
  const { entries } = await read(sql, uuidOf(book), id);
  if (!needsApproval(policy, entries)) return;
  if (kind === "Reverse") throw reversalNeedsApproval(policy);
  requireApprover({ ...by, creator: await readCreator(sql, uuidOf(book), id) });
}

/** The rejection, with what a program needs next: who owns the transaction, or its status. */
async function refusalOf(
  sql: Sql,
  book: BookId,
  rejection: Rejection,
  {
    kind,
    transactionId: id,
  }: { readonly kind: Continuation["kind"]; readonly transactionId: LedgerTransactionId },
): Promise<Refusal> {
  switch (rejection.code) {
    case "not_found":
      return notFound("ledger transaction");
    case "transaction_owned": {
      const { owner } = await read(sql, uuidOf(book), id);
      return owner === null ? toRefusal(rejection) : ownedBy(owner);
    }
    case "invalid_state_transition": {
      const { status } = await read(sql, uuidOf(book), id);
      const allowedStatuses = [kind === "Reverse" ? "Posted" : "Pending"];
      return toRefusal(rejection, { currentStatus: status, allowedStatuses });
    }
    case "already_reversed":
      return toRefusal(rejection, { resourceId: id });
    default:
      return toRefusal(rejection);
  }
}

function ownedBy(owner: TransactionOwner): Refusal {
  const detail = `The transaction belongs to ${owner.id}. Change that instead; the ledger books the result.`;
  return new Refusal("transaction_owned", detail, { context: { owner } });
}

async function read(sql: Sql, book: string, id: LedgerTransactionId): Promise<LedgerTransaction> {
  const row = await findTransaction(sql, book, id);
  if (row === undefined) throw notFound("ledger transaction");
  return toLedgerTransaction(row);
}
