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
import { notApplicable } from "../instructions/domain/injection.ts";
import { lockStatements } from "../statements/store/bank-statements.ts";
import {
  findFault,
  findOpenFault,
  insertFault,
  listFaults,
  markForCorrection,
} from "../statements/store/statement-errors.ts";

const operation = { name: "spoil-statement", resourceId: ({ id }: StatementFault) => id };

/** QA lets the bank of a Test book make mistakes on its statements, and put them right. */
@Controller()
export class SpoilStatements {
  readonly #requester: RpcClient;
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;

  constructor(
    @Inject(RpcClient) requester: RpcClient,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
  ) {
    this.#requester = requester;
    this.#units = units;
    this.#database = database;
  }

  /**
   * Refusals: `simulation_requires_test_key`; `missing_field` for a LineAdded or AmountChanged without an amount; where
   * a line is spoiled, `not_found` for an order that this book does not have, `simulation_not_applicable` while another
   * fault spoils it.
   */
  @HandlesRequest(CreateStatementFault)
  async create(
    wish: StatementFaultCreate,
    ask: RequestContext,
  ): Promise<StatementFault | IdempotentReplay<StatementFault>> {
    needsTestBook(ask);
    if ((wish.kind === "LineAdded" || wish.kind === "AmountChanged") && wish.amountCents === undefined) {
      throw new Refusal("missing_field", `Say the amountCents that a ${wish.kind} line is to have.`, {
        errors: [{ pointer: "/amountCents", code: "missing_field", message: `is needed for ${wish.kind}` }],
      });
    }
    const answered = await findReplay<StatementFault>(this.#database.sql, ask);
    if (answered !== undefined) return answered;
    const spoilsALine = wish.kind === "LineMissing" || wish.kind === "AmountChanged";
    if (spoilsALine) await this.#mustHaveOrder(wish, ask);
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, operation, async () => {
        const { book } = ask.caller;
        if (spoilsALine) await refuseAnother(unit, book, wish);
        return insertFault(unit.sql, book, wish);
      }),
    );
  }

  /** A line of an order that never was would be waited for in vain; one that is not yet at its rail is not. */
  async #mustHaveOrder(
    { orderId }: StatementFaultCreate,
    { caller, traceparent }: RequestContext,
  ): Promise<void> {
    if (orderId === undefined) return;
    await this.#requester.ask(GetOrder, { caller, traceparent }, { id: orderId }).catch((error: unknown) => {
      throw error instanceof Refusal && error.code === "not_found"
        ? notFound("payment order", "/orderId")
        : error;
    });
  }

  /** Newest first. Refusals: `simulation_requires_test_key`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListStatementFaults)
  async list(
    query: z.output<typeof ListStatementFaults.data>,
    ask: RequestContext,
  ): Promise<Page<StatementFault>> {
    needsTestBook(ask);
    const before = uuidAfter(query) ?? aboveAllUuids;
    const faults = await listFaults(this.#database.sql, ask.caller.book, before, query.limit);
    return pageOfRows(
      faults,
      query.limit,
      (fault) => fault,
      ({ id }) => uuidOf(id),
      query,
    );
  }

  /** Refusals: `simulation_requires_test_key`, `not_found`. */
  @HandlesRequest(GetStatementFault)
  async get({ id }: { id: string }, ask: RequestContext): Promise<StatementFault> {
    needsTestBook(ask);
    const fault = isId("bsf", id) ? await findFault(this.#database.sql, ask.caller.book, id) : undefined;
    if (fault === undefined) throw notFound("bank statement fault");
    return fault;
  }

  /** Twice is as once. Refusals: `simulation_requires_test_key`, `not_found`. */
  @HandlesRequest(CorrectStatementFault)
  correct(
    { id }: { id: string },
    ask: RequestContext,
  ): Promise<StatementFault | IdempotentReplay<StatementFault>> {
    needsTestBook(ask);
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, { ...operation, name: "correct-statement" }, async () => {
        const { book } = ask.caller;
        await lockStatements(unit.sql, book);
        const fault = isId("bsf", id)
          ? ((await markForCorrection(unit.sql, book, id)) ?? (await findFault(unit.sql, book, id)))
          : undefined;
        if (fault === undefined) throw notFound("bank statement fault");
        return fault;
      }),
    );
  }
}

/** Two faults of one line: the bank could put neither right without the other. Locks the book's statements. */
async function refuseAnother({ sql }: UnitOfWork, book: BookId, wish: StatementFaultCreate): Promise<void> {
  await lockStatements(sql, book);
  const open = await findOpenFault(sql, book, wish);
  if (open === undefined) return;
  throw notApplicable(`${open} spoils this line and is not corrected. Correct it first.`, {
    resourceId: open,
  });
}

function needsTestBook({ caller }: RequestContext): void {
  if (caller.mode === "Test") return;
  throw new Refusal("simulation_requires_test_key", "Only Test books are simulated. Use a test key.");
}
