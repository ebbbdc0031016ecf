import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  StatementFault,
  StatementFaultCreate,
} from "../../../contracts/http/sandbox/bank-statement-faults.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { type BookId, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  CorrectStatementFault,
  CreateStatementFault,
  GetStatementFault,
  ListStatementFaults,
} from "../../../contracts/messages/bank-statements.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { findReplay, withIdempotency } from "../../platform/rpc/idempotency.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { aboveAllUuids, pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";
import { notApplicable } from "../instructions/domain/injection.ts";
import { misfit, missing } from "../rules/domain/correction.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";
import { lockStatements } from "../statements/store/bank-statements.ts";
import {
  readStatementError,
  readOpenErrorOfLine,
  insertStatementError,
  listStatementErrors,
  requestCorrection,
} from "../statements/store/statement-errors.ts";

const operation = { name: "inject-statement-error", resourceId: ({ id }: StatementFault) => id };

type Field = "orderId" | "bankReference" | "amountCents" | "side";
const fields: readonly Field[] = ["orderId", "bankReference", "amountCents", "side"];

/** What an error of each kind needs: whether it is made in the line of a payment, and the fields that it can have. */
const needs: Readonly<
  Record<StatementFaultCreate["kind"], { readonly line: boolean; readonly fields: readonly Field[] }>
> = {
  LineMissing: { line: true, fields: ["orderId", "bankReference"] },
  LineAdded: { line: false, fields },
  AmountChanged: { line: true, fields: ["orderId", "bankReference", "amountCents"] },
  WrongHash: { line: false, fields: [] },
};

/** A tester has the bank of a Test book print errors on statements and correct them. The API calls them faults. */
@Controller()
export class InjectStatementErrors {
  readonly #rpc: RpcClient;
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;

  constructor(
    @Inject(RpcClient) rpc: RpcClient,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
  ) {
    this.#rpc = rpc;
    this.#units = units;
    this.#database = database;
  }

  /**
   * Refusals: `simulation_requires_test_key`; `missing_field` for a LineAdded or AmountChanged without an amount;
   * `invalid_field` for a field that the kind can't have; `not_found` for an order of another book;
   * `simulation_not_applicable` for a LineMissing or AmountChanged in a line that has another uncorrected error.
   */
  @HandlesRequest(CreateStatementFault)
  async create(
    request: StatementFaultCreate,
    context: RequestContext,
  ): Promise<StatementFault | IdempotentReplay<StatementFault>> {
    requireTestBook(context);
    const replayed = await findReplay<StatementFault>(this.#database.sql, context, operation);
    if (replayed !== undefined) return replayed;
    rejectMisfits(request);
    const ofLine = needs[request.kind].line;
    await this.#requireOrder(request, context);
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const { book } = context.caller;
        if (ofLine) await rejectSecondError(unit, book, request);
        const made = await insertStatementError(unit.sql, book, request);
        await logFault(unit, context, "BankStatementFaultCreated", made);
        return made;
      }),
    );
  }

  /** The order must be one of the book. It need not be at its rail yet. */
  async #requireOrder({ orderId }: StatementFaultCreate, request: RequestContext): Promise<void> {
    if (orderId === undefined) return;
    const { caller, traceparent, deadline } = request;
    const from = { caller, traceparent, deadline };
    await this.#rpc.request(GetOrder, from, { id: orderId }).catch((error: unknown) => {
      throw error instanceof Refusal && error.code === "not_found"
        ? notFound("payment order", "/orderId")
        : error;
    });
  }

  /** Newest first. Refusals: `simulation_requires_test_key`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListStatementFaults)
  async list(
    query: z.output<typeof ListStatementFaults.data>,
    context: RequestContext,
  ): Promise<Page<StatementFault>> {
    requireTestBook(context);
    const asked = { ...query, list: "bank-statement-faults" };
    const before = uuidAfter(asked) ?? aboveAllUuids;
    const errors = await listStatementErrors(this.#database.sql, context.caller.book, before, query.limit);
    return pageOfRows(
      errors,
      query.limit,
      (error) => error,
      ({ id }) => uuidOf(id),
      asked,
    );
  }

  /** Refusals: `simulation_requires_test_key`, `not_found`. */
  @HandlesRequest(GetStatementFault)
  async get({ id }: { id: string }, context: RequestContext): Promise<StatementFault> {
    requireTestBook(context);
    const statementError = isId("bsf", id)
      ? await readStatementError(this.#database.sql, context.caller.book, id)
      : undefined;
    if (statementError === undefined) throw notFound("bank statement fault");
    return statementError;
  }

  /** Idempotent. Refusals: `simulation_requires_test_key`, `not_found`. */
  @HandlesRequest(CorrectStatementFault)
  correct(
    { id }: { id: string },
    context: RequestContext,
  ): Promise<StatementFault | IdempotentReplay<StatementFault>> {
    requireTestBook(context);
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, { ...operation, name: "correct-statement" }, async () => {
        const { book } = context.caller;
        await lockStatements(unit.sql, book);
        const statementError = isId("bsf", id)
          ? ((await requestCorrection(unit.sql, book, id)) ?? (await readStatementError(unit.sql, book, id)))
          : undefined;
        if (statementError === undefined) throw notFound("bank statement fault");
        await logFault(unit, context, "BankStatementFaultCorrected", statementError);
        return statementError;
      }),
    );
  }
}

/** Refusals: `missing_field`, `invalid_field` for fields that don't fit the kind. */
function rejectMisfits(request: StatementFaultCreate): void {
  const { kind } = request;
  const allowed = needs[kind].fields;
  if (allowed.includes("amountCents") && request.amountCents === undefined) {
    throw missing("/amountCents", kind);
  }
  const field = fields.find((each) => request[each] !== undefined && !allowed.includes(each));
  if (field !== undefined)
    throw misfit(`/${field}`, `Send no ${field} with ${kind}: it would have no effect.`);
}

/** Two errors in one line could not be corrected one by one. Locks the book's statements. */
async function rejectSecondError(
  { sql }: UnitOfWork,
  book: BookId,
  request: StatementFaultCreate,
): Promise<void> {
  await lockStatements(sql, book);
  const open = await readOpenErrorOfLine(sql, book, request);
  if (open === undefined) return;
  const detail = `This line already has the uncorrected fault ${open}. Correct it first.`;
  const field = (["orderId", "bankReference"] as const).find((name) => request[name] !== undefined) ?? "kind";
  throw notApplicable(detail, { resourceId: open }, `/${field}`);
}

async function logFault(
  { sql }: UnitOfWork,
  { caller: { book, principal: actor } }: RequestContext,
  kind: "BankStatementFaultCreated" | "BankStatementFaultCorrected",
  { id, kind: fault, orderId }: StatementFault,
): Promise<void> {
  const entry = { book, kind, actor, orderId: orderId ?? undefined, details: { id, kind: fault } };
  await insertLogEntries(sql, [entry]);
}
