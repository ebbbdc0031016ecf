import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { bankingDayBefore, isBankingDay, newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { Refusal } from "../../../contracts/errors.ts";
import type { ReconciliationReport } from "../../../contracts/http/ledger/reconciliations.ts";
import { type BankStatementId, bookIdOf } from "../../../contracts/ids/ids.ts";
import {
  IssueStatement,
  ReadStatement,
  ReadStatementsAfter,
  type StatementPart,
} from "../../../contracts/messages/bank-statements.ts";
import { CreateReconciliation as CreateReconciliationRequest } from "../../../contracts/messages/reconciliations.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { findReplay, withIdempotency } from "../../platform/rpc/idempotency.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { joinParts, type Statement } from "./domain/bank-statement.ts";
import { toReport } from "./reconciliation-view.ts";
import { type Compared, StatementReconciler } from "./reconcile-statement.ts";
import { type KnownStatement, lastStatement, lockReconciliation } from "./store/bank-statements.ts";
import { closePeriods } from "../posting/store/accounting-periods.ts";
import { createBooks, hasBook, refuseFrozen } from "../posting/store/lock-books.ts";
import { type CashSnapshot, readCash } from "./store/cash-movements.ts";
import type { RunRow } from "./store/reconciliations.ts";

const operation = { name: "create-reconciliation", resourceId: ({ id }: ReconciliationReport) => id };
/** Shorter than the gateway's deadline, so that the caller learns that the bank did not answer. */
const bankDeadlineMs = 3_000;
/** A request compares at most this many statements, the oldest. The next request continues from there. */
const maxStatements = 21;
/** Of these statements together. The first one is compared even if it alone has more. */
const maxLines = 2_000;

type Answer = ReconciliationReport | IdempotentReplay<ReconciliationReport>;

/** The ledger as read before the request to the bank, and the bank's statements. */
interface BankAnswer {
  readonly known: KnownStatement | undefined;
  readonly cash: CashSnapshot | undefined;
  /** Oldest first: missed statements, then the requested one, if it is among the oldest. */
  readonly statements: readonly Statement[];
}

/**
 * Creates a run on request: the bank of a Test book issues a statement up to now. No transaction waits for the
 * bank: the statement is fetched first, then compared under the lock.
 */
@Controller()
export class CreateReconciliation {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #rpc: RpcClient;
  readonly #reconcile: StatementReconciler;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(RpcClient) rpc: RpcClient,
    @Inject(StatementReconciler) reconcile: StatementReconciler,
  ) {
    this.#units = units;
    this.#database = database;
    this.#rpc = rpc;
    this.#reconcile = reconcile;
  }

  /**
   * Refusals: `invalid_field` for another day than the current one; the bank's own (`rail_not_configured` in Live,
   * `service_unavailable` and `upstream_timeout` while it does not answer); `bank_statement_refused`;
   * `service_unavailable` (the book is frozen).
   */
  @HandlesRequest(CreateReconciliationRequest)
  async create(
    { date }: z.output<typeof CreateReconciliationRequest.data>,
    context: RequestContext,
  ): Promise<Answer> {
    const replay = await findReplay<ReconciliationReport>(this.#database.sql, context, operation);
    if (replay !== undefined) return replay;
    const now = await readTimeIn(this.#database.sql, context.caller.book);
    const fromBank = await this.#fetchStatements(context, currentDay(date, now));
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const run = await this.#compare(unit, context, fromBank);
        return toReport(unit.sql, context.caller.book, run);
      }),
    );
  }

  async #fetchStatements(context: RequestContext, date: string): Promise<BankAnswer> {
    const { book } = context.caller;
    const { sql } = this.#database;
    await refuseFrozen(sql, book);
    const known = await lastStatement(sql, book);
    // Read before the request to the bank, so that the statement contains everything in this snapshot.
    const cash = await readCash(sql, book);
    const { value: first } = await this.#rpc.request(
      IssueStatement,
      context,
      { date },
      { deadlineMs: bankDeadlineMs },
    );
    return { known, cash, statements: await this.#oldestAfter(known, first, context) };
  }

  /** The oldest statements after `known`, up to the one that `newest` begins: as many as one request compares. */
  async #oldestAfter(
    known: KnownStatement | undefined,
    newest: StatementPart,
    context: RequestContext,
  ): Promise<Statement[]> {
    const statements: Statement[] = [];
    let lineCount = 0;
    for await (const first of this.#firstPartsAfter(known?.number ?? 0, newest, context)) {
      lineCount += first.statement.lineCount;
      if (statements.length > 0 && lineCount > maxLines) break;
      statements.push(await this.#fetchParts(context, first));
      if (statements.length === maxStatements) break;
    }
    return statements;
  }

  /** First parts of statements after statement `number`, oldest first, up to `newest`. Asks as they are used. */
  async *#firstPartsAfter(
    number: number,
    newest: StatementPart,
    context: RequestContext,
  ): AsyncGenerator<StatementPart> {
    let last = number;
    while (last + 1 < newest.statement.number) {
      const { value } = await this.#rpc.request(
        ReadStatementsAfter,
        context,
        { number: last },
        { deadlineMs: bankDeadlineMs },
      );
      // The newest one is as the bank has just published it, which may differ from what it stores.
      const missed = value.firstParts.filter(({ statement }) => statement.number < newest.statement.number);
      yield* missed;
      const lastMissed = missed.at(-1);
      // The bank has none in between, so the newest statement does not follow and is refused.
      if (lastMissed === undefined) break;
      last = lastMissed.statement.number;
    }
    yield newest;
  }

  /**
   * Returns the run of the newest of the statements. They may have arrived by themselves in the meantime; a compared
   * statement returns its run.
   */
  async #compare(
    unit: UnitOfWork,
    context: RequestContext,
    { known, cash, statements }: BankAnswer,
  ): Promise<RunRow> {
    const { book, tenant, mode } = context.caller;
    if (!(await hasBook(unit.sql, book)))
      await createBooks(unit.sql, [{ book: bookIdOf(tenant, mode), tenantId: tenant, mode }]);
    await lockReconciliation(unit.sql, book);
    // Another run may have read the ledger later than this one did. The next run then continues from there.
    const isNewest = (await lastStatement(unit.sql, book))?.id === known?.id;
    const compared: Compared[] = [];
    for (const statement of statements) {
      const read = isNewest ? cash : undefined;
      compared.push(await this.#reconcile.reconcileStatement(unit, book, statement, read));
    }
    await closePeriods(
      unit.sql,
      compared.flatMap(({ closing }) => closing ?? []),
    );
    const last = compared.at(-1);
    if (last === undefined) throw new TypeError(`${book} was given no statement to compare`);
    return last.run;
  }

  async #fetchPart(
    context: RequestContext,
    statementId: BankStatementId,
    part: number,
  ): Promise<StatementPart> {
    const { value } = await this.#rpc.request(
      ReadStatement,
      context,
      { statementId, part },
      { deadlineMs: bankDeadlineMs },
    );
    return value;
  }

  async #fetchParts(context: RequestContext, first: StatementPart): Promise<Statement> {
    const parts = [first];
    while (parts.length < first.parts)
      parts.push(await this.#fetchPart(context, first.statement.id, parts.length + 1));
    const statement = joinParts(context.caller.book, parts);
    if (statement === null) throw new TypeError("a part is missing although all were read");
    return statement;
  }
}

/** The banking day of a statement that is issued now: today or, if banks are closed, the last banking day. */
function currentDay(requested: string | undefined, now: Date): string {
  const today = newYorkDate(now);
  const current = isBankingDay(today) ? today : bankingDayBefore(today);
  if (requested === undefined || requested === current) return current;
  throw new Refusal(
    "invalid_field",
    `The bank issues a statement only for the current banking day, ${current}. Runs of another day: GET /v1/reconciliations?date=${requested}.`,
    { errors: [{ pointer: "/date", code: "invalid_field", message: `must be ${current}, or left out` }] },
  );
}
