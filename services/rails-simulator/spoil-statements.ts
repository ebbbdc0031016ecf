import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../contracts/errors.ts";
import type { StatementFault, StatementFaultCreate } from "../../contracts/http/bank-statement-faults.ts";
import type { Page } from "../../contracts/http/shapes.ts";
import { isId, uuidOf } from "../../contracts/ids.ts";
import {
  CorrectStatementFault,
  CreateStatementFault,
  GetStatementFault,
  ListStatementFaults,
} from "../../contracts/messages/bank-statements.ts";
import { Answers, type Ask, type Replayed } from "../platform/messaging/decorators.ts";
import { onlyOnce } from "../platform/messaging/idempotency.ts";
import { Units } from "../platform/messaging/unit.ts";
import { Database } from "../platform/persistence/database.ts";
import { aboveAllUuids, pageOfRows, uuidAfter } from "../platform/persistence/page.ts";
import { lockStatements } from "./store/bank-statements.ts";
import { findFault, insertFault, listFaults, markForCorrection } from "./store/statement-faults.ts";

const operation = { name: "spoil-statement", resourceId: ({ id }: StatementFault) => id };

/** QA lets the bank of a Test book make mistakes on its statements, and put them right. */
@Controller()
export class SpoilStatements {
  readonly #units: Units;
  readonly #database: Database;

  constructor(@Inject(Units) units: Units, @Inject(Database) database: Database) {
    this.#units = units;
    this.#database = database;
  }

  /** Refusals: `simulation_requires_test_key`; `missing_field` for a LineAdded or AmountChanged without an amount. */
  @Answers(CreateStatementFault)
  create(wish: StatementFaultCreate, ask: Ask): Promise<StatementFault | Replayed<StatementFault>> {
    needsTestBook(ask);
    if ((wish.kind === "LineAdded" || wish.kind === "AmountChanged") && wish.amountCents === undefined) {
      throw new Refusal("missing_field", `Say the amountCents that a ${wish.kind} line is to have.`, {
        errors: [{ pointer: "/amountCents", code: "missing_field", message: `is needed for ${wish.kind}` }],
      });
    }
    return this.#units.run((unit) =>
      onlyOnce(unit, ask, operation, () => insertFault(unit.sql, ask.caller.book, wish)),
    );
  }

  /** Newest first. Refusals: `simulation_requires_test_key`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @Answers(ListStatementFaults)
  async list(query: z.output<typeof ListStatementFaults.data>, ask: Ask): Promise<Page<StatementFault>> {
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
  @Answers(GetStatementFault)
  async get({ id }: { id: string }, ask: Ask): Promise<StatementFault> {
    needsTestBook(ask);
    const fault = isId("bsf", id) ? await findFault(this.#database.sql, ask.caller.book, id) : undefined;
    if (fault === undefined) throw noSuchFault();
    return fault;
  }

  /** Twice is as once. Refusals: `simulation_requires_test_key`, `not_found`. */
  @Answers(CorrectStatementFault)
  correct({ id }: { id: string }, ask: Ask): Promise<StatementFault | Replayed<StatementFault>> {
    needsTestBook(ask);
    return this.#units.run((unit) =>
      onlyOnce(unit, ask, { ...operation, name: "correct-statement" }, async () => {
        const { book } = ask.caller;
        await lockStatements(unit.sql, book);
        const fault = isId("bsf", id)
          ? ((await markForCorrection(unit.sql, book, id)) ?? (await findFault(unit.sql, book, id)))
          : undefined;
        if (fault === undefined) throw noSuchFault();
        return fault;
      }),
    );
  }
}

function noSuchFault(): Refusal {
  return new Refusal("not_found", "There is no such fault in this book.");
}

function needsTestBook({ caller }: Ask): void {
  if (caller.mode === "Test") return;
  throw new Refusal("simulation_requires_test_key", "Only Test books are simulated. Use a test key.");
}
