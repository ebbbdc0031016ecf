import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  LedgerTransaction,
  TransactionOwner,
} from "../../../contracts/http/ledger/ledger-transactions.ts";
import { isId, type LedgerTransactionId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
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
import type { Outcome } from "../book/book-state.ts";
import { refusalFor, refuseBasis, refuseBeforeHold, refuseDate } from "./refuse-manual.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { insertNote } from "./store/transaction-details.ts";
import { findTransaction, toLedgerTransaction } from "./store/list-transactions.ts";
import { postJournals } from "../posting/post-journals.ts";

type Answered = Promise<LedgerTransaction | IdempotentReplay<LedgerTransaction>>;
interface Move {
  readonly kind: "PostPending" | "VoidPending" | "Reverse";
  readonly id: string;
  readonly description?: string | undefined;
  readonly effectiveAt?: string | undefined;
}

/** What a caller does with a transaction of its own; each is one more journal of it. */
@Controller()
export class PostVoidReverse {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** Refusals: as `#move`, `basis_is_demo_data`, `basis_missing_input`, `effective_date_invalid`. */
  @HandlesRequest(PostLedgerTransaction)
  post({ id, effectiveAt }: z.output<typeof PostLedgerTransaction.data>, ask: RequestContext): Answered {
    return this.#move({ kind: "PostPending", id, effectiveAt }, ask);
  }

  /** Refusals: as `#move`. */
  @HandlesRequest(VoidLedgerTransaction)
  void({ id }: z.output<typeof VoidLedgerTransaction.data>, ask: RequestContext): Answered {
    return this.#move({ kind: "VoidPending", id }, ask);
  }

  /** Refusals: as `#move`, `already_reversed`, `ledger_account_closed`, `balance_out_of_range`. */
  @HandlesRequest(ReverseLedgerTransaction)
  reverse(
    { id, description }: z.output<typeof ReverseLedgerTransaction.data>,
    ask: RequestContext,
  ): Answered {
    return this.#move({ kind: "Reverse", id, description }, ask);
  }

  /** Refusals: `not_found`, `transaction_owned`, `invalid_state_transition`; a frozen book. */
  #move(move: Move, ask: RequestContext): Answered {
    const operation = { name: `${move.kind}-transaction`, resourceId: ({ id }: LedgerTransaction) => id };
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, operation, () => moveOn(unit.sql, move, ask)),
    );
  }
}

async function moveOn(
  sql: Sql,
  { kind, id, description, effectiveAt: wanted }: Move,
  { caller: { book } }: RequestContext,
): Promise<LedgerTransaction> {
  if (!isId("lt", id)) throw notFound("ledger transaction");
  await lockBooks(sql, [book]);
  const before = await read(sql, uuidOf(book), id);
  const effectiveAt = kind === "PostPending" ? new Date(wanted ?? before.effectiveAt) : undoneAt(before);
  if (kind === "PostPending" && before.status === "Pending" && before.owner === null) {
    refuseBasis(before.basis);
    refuseBeforeHold(before, effectiveAt);
    await refuseDate(sql, book, effectiveAt);
  }
  const command = {
    kind,
    commandId: newUuid(),
    transactionId: id,
    effectiveAt: effectiveAt.toISOString(),
  } as const;
  const [outcome] = await postJournals(sql, [{ book, command }]);
  if (outcome?.result === "Refused") throw refusalOf(outcome, kind, before);
  if (outcome !== undefined && description !== undefined)
    await insertNote(sql, uuidOf(book), outcome.sequence, description);
  return read(sql, uuidOf(book), id);
}

/** Now, but never before what it undoes, which may be dated a little ahead: else a day would end with less than nothing. */
function undoneAt({ effectiveAt }: LedgerTransaction): Date {
  return new Date(Math.max(Date.now(), Date.parse(effectiveAt)));
}

/** The ledger's refusal, with what a program needs to go on: whose it is, and where it stands. */
function refusalOf(
  outcome: Extract<Outcome, { result: "Refused" }>,
  kind: Move["kind"],
  { id, owner, status }: LedgerTransaction,
): Refusal {
  switch (outcome.code) {
    case "transaction_owned":
      return owner === null ? refusalFor(outcome) : ownedBy(owner);
    case "invalid_state_transition":
      return refusalFor(outcome, {
        currentStatus: status,
        allowedStatuses: [kind === "Reverse" ? "Posted" : "Pending"],
      });
    case "already_reversed":
      return refusalFor(outcome, { resourceId: id });
    default:
      return refusalFor(outcome);
  }
}

function ownedBy(owner: TransactionOwner): Refusal {
  const detail = `The transaction belongs to ${owner.id}. Act on that; what becomes of it is booked here.`;
  return new Refusal("transaction_owned", detail, { context: { owner } });
}

async function read(sql: Sql, book: string, id: LedgerTransactionId): Promise<LedgerTransaction> {
  const row = await findTransaction(sql, book, id);
  if (row === undefined) throw notFound("ledger transaction");
  return toLedgerTransaction(row);
}
