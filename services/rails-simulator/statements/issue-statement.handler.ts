import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, newId } from "../../../contracts/ids/ids.ts";
import {
  IssueStatement as IssueStatementRequest,
  maxLinesPerPart,
  ReadStatement,
  type StatementHead,
  StatementIssued,
  type StatementLine,
  type StatementPart,
} from "../../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../../contracts/statement-hash.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { Cause } from "../../platform/messages/message.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { drawStatement } from "./domain/bank-statement.ts";
import {
  findStatement,
  insertStatement,
  lastStatement,
  lockStatements,
  readLines,
} from "./store/bank-statements.ts";
import { noteFaults, openFaults } from "./store/statement-errors.ts";
import { unstatedMovements } from "./store/unreported-movements.ts";

/** Statements that the ledger asks for. */
@Controller()
export class IssueStatement {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(Database) database: Database) {
    this.#units = units;
    this.#database = database;
  }

  /**
   * A statement of everything up to now, its first part. Refusals: `rail_not_configured` for a Live book, whose bank
   * nobody simulates.
   */
  @HandlesRequest(IssueStatementRequest)
  issue({ date }: z.output<typeof IssueStatementRequest.data>, ask: RequestContext): Promise<StatementPart> {
    if (ask.caller.mode !== "Test") {
      throw new Refusal(
        "rail_not_configured",
        "No bank is connected to this Live book, so no statement can be asked for.",
      );
    }
    return this.#units.run(async (unit) => {
      const [first] = await issueStatement(unit, ask.caller.book, { date, endsAt: new Date() }, ask);
      return first;
    });
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(ReadStatement)
  async read(
    { statementId, part }: z.output<typeof ReadStatement.data>,
    ask: RequestContext,
  ): Promise<StatementPart> {
    const { sql } = this.#database;
    const { book } = ask.caller;
    const statement = await findStatement(sql, book, statementId);
    const parts = partsOf(statement?.lineCount ?? 0);
    if (statement === undefined || part > parts) {
      throw new Refusal("not_found", "There is no such part of a statement of this book.");
    }
    const lines = await readLines(
      sql,
      book,
      statement.number,
      (part - 1) * maxLinesPerPart + 1,
      maxLinesPerPart,
    );
    return { statement, part, parts, lines };
  }
}

function partsOf(lineCount: number): number {
  return Math.max(1, Math.ceil(lineCount / maxLinesPerPart));
}

/**
 * Prints a book's next statement and tells it, part by part. Holds the book's statements until the commit. What it says
 * of earlier and coming mistakes is `domain/bank-statement.ts`'s.
 */
export async function issueStatement(
  unit: UnitOfWork,
  book: BookId,
  wish: { readonly date: string; readonly endsAt: Date },
  cause?: Cause,
): Promise<[StatementPart, ...StatementPart[]]> {
  const { sql } = unit;
  await lockStatements(sql, book);
  const previous = await lastStatement(sql, book);
  const previousEndsAt = previous === undefined ? null : new Date(previous.endsAt);
  // Two within one millisecond: the second ends later all the same.
  const endsAt = new Date(Math.max(wish.endsAt.getTime(), (previousEndsAt?.getTime() ?? 0) + 1));
  const movements = await unstatedMovements(sql, book, { previousEndsAt, endsAt });
  const opening = previous?.closingBalanceCents ?? 0;
  const drawn = drawStatement(opening, movements, await openFaults(sql, book), endsAt);
  const lines = drawn.lines.map(({ line }, index): StatementLine => ({ line: index + 1, ...line }));
  const unsealed = {
    id: newId("stm"),
    number: (previous?.number ?? 0) + 1,
    date: wish.date,
    previousStatementId: previous?.id ?? null,
    endsAt: endsAt.toISOString(),
    openingBalanceCents: opening,
    closingBalanceCents: drawn.closingCents,
    lineCount: lines.length,
    hash: "",
  };
  const statement = { ...unsealed, hash: statementHash(book, unsealed, lines) };
  await insertStatement(
    sql,
    book,
    statement,
    lines,
    drawn.lines.map(({ source }) => source),
  );
  await noteFaults(sql, book, statement.number, drawn.changes);
  const told = drawn.wrongHash ? { ...statement, hash: "0".repeat(64) } : statement;
  const parts = inParts(told, lines);
  for (const data of parts) {
    unit.outbox.add(StatementIssued, {
      book,
      subject: told.id,
      data,
      ...(cause === undefined ? {} : { cause }),
    });
  }
  return parts;
}

function inParts(
  statement: StatementHead,
  lines: readonly StatementLine[],
): [StatementPart, ...StatementPart[]] {
  const parts = partsOf(lines.length);
  const partAt = (place: number): StatementPart => ({
    statement,
    part: place + 1,
    parts,
    lines: lines.slice(place * maxLinesPerPart, (place + 1) * maxLinesPerPart),
  });
  return [partAt(0), ...Array.from({ length: parts - 1 }, (_, place) => partAt(place + 1))];
}
