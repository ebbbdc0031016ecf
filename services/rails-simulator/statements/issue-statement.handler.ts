import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { instantClock, timeIn } from "../../../contracts/book-clock.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, newId } from "../../../contracts/ids/ids.ts";
import {
  IssueStatement as IssueStatementRequest,
  maxLinesPerPart,
  maxStatementsPerReply,
  ReadStatement,
  ReadStatementsAfter,
  type StatementHeader,
  StatementIssued,
  type StatementLine,
  type StatementPart,
} from "../../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../../contracts/statement-hash.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { readClocks } from "../../platform/clock/book-clocks.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { Cause } from "../../platform/messages/message.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { composeStatement } from "./domain/bank-statement.ts";
import {
  readStatement,
  insertStatement,
  readLastStatement,
  readLinesOfEach,
  readStatementsAfter,
  lockStatements,
  readLines,
} from "./store/bank-statements.ts";
import { updateErrors, readOpenErrors } from "./store/statement-errors.ts";
import { unreportedMovements } from "./store/unreported-movements.ts";

/** Issues and reads statements that the ledger requests. */
@Controller()
export class IssueStatementHandler {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(Database) database: Database) {
    this.#units = units;
    this.#database = database;
  }

  /**
   * Issues a statement of everything up to now and returns its first part. Refusals: `rail_not_configured` for a Live
   * book, which has no simulated bank.
   */
  @HandlesRequest(IssueStatementRequest)
  issue(
    { date }: z.output<typeof IssueStatementRequest.data>,
    context: RequestContext,
  ): Promise<StatementPart> {
    if (context.caller.mode !== "Test") {
      throw new Refusal(
        "rail_not_configured",
        "This Live book has no bank connection, so it can't get a statement.",
      );
    }
    return this.#units.runFor(context, async (unit) => {
      const { book } = context.caller;
      const clock = (await readClocks(unit.sql, [book])).get(book) ?? instantClock;
      const now = timeIn(clock, realTime());
      // In a book whose time stands still, what happens now belongs to this statement, too.
      const endsAt = clock.standsAt === null ? now : new Date(now.getTime() + 1);
      const [first] = await issueStatement(unit, book, { date, endsAt }, context);
      return first;
    });
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(ReadStatement)
  async read(
    { statementId, part }: z.output<typeof ReadStatement.data>,
    context: RequestContext,
  ): Promise<StatementPart> {
    const { sql } = this.#database;
    const { book } = context.caller;
    const statement = await readStatement(sql, book, statementId);
    const parts = countParts(statement?.lineCount ?? 0);
    if (statement === undefined || part > parts) {
      throw new Refusal("not_found", "There is no such part of a statement in this book.");
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

  @HandlesRequest(ReadStatementsAfter)
  async readAfter(
    { number }: z.output<typeof ReadStatementsAfter.data>,
    context: RequestContext,
  ): Promise<{ firstParts: StatementPart[] }> {
    const { sql } = this.#database;
    const { book } = context.caller;
    const next = await readStatementsAfter(sql, book, number, maxStatementsPerReply);
    const statements = next.slice(0, fittingCount(next));
    const lines = await readLinesOfEach(sql, book, statements, maxLinesPerPart);
    const firstParts = statements.map((statement) => ({
      statement,
      part: 1,
      parts: countParts(statement.lineCount),
      lines: lines.get(statement.number) ?? [],
    }));
    return { firstParts };
  }
}

/** How many of the statements have at most `maxLinesPerPart` lines in all; at least one. */
function fittingCount(statements: readonly StatementHeader[]): number {
  let lineCount = 0;
  const over = statements.findIndex((statement) => (lineCount += statement.lineCount) > maxLinesPerPart);
  return over === -1 ? statements.length : Math.max(1, over);
}

function countParts(lineCount: number): number {
  return Math.max(1, Math.ceil(lineCount / maxLinesPerPart));
}

/**
 * Issues a book's next statement and publishes it in parts. Locks the book's statements until the commit.
 * `domain/bank-statement.ts` decides the lines, including statement errors and their corrections.
 */
export async function issueStatement(
  unit: UnitOfWork,
  book: BookId,
  request: { readonly date: string; readonly endsAt: Date },
  cause?: Cause,
): Promise<[StatementPart, ...StatementPart[]]> {
  const { sql } = unit;
  await lockStatements(sql, book);
  const previous = await readLastStatement(sql, book);
  const previousEndsAt = previous === undefined ? null : new Date(previous.endsAt);
  // Every statement ends later than the one before, even within one millisecond.
  const endsAt = new Date(Math.max(request.endsAt.getTime(), (previousEndsAt?.getTime() ?? 0) + 1));
  const movements = await unreportedMovements(sql, book, { previousEndsAt, endsAt });
  const opening = previous?.closingBalanceCents ?? 0;
  const composed = composeStatement(opening, movements, await readOpenErrors(sql, book), endsAt);
  const lines = composed.lines.map(({ line }, index): StatementLine => ({ line: index + 1, ...line }));
  const unhashed = {
    id: newId("stm"),
    number: (previous?.number ?? 0) + 1,
    date: request.date,
    previousStatementId: previous?.id ?? null,
    endsAt: endsAt.toISOString(),
    openingBalanceCents: opening,
    closingBalanceCents: composed.closingCents,
    lineCount: lines.length,
    hash: "",
  };
  const statement = { ...unhashed, hash: statementHash(book, unhashed, lines) };
  await insertStatement(
    sql,
    book,
    statement,
    lines,
    composed.lines.map(({ source }) => source),
  );
  await updateErrors(sql, book, statement.number, composed.errorChanges);
  const published = composed.publishWrongHash ? { ...statement, hash: "0".repeat(64) } : statement;
  const parts = splitIntoParts(published, lines);
  for (const data of parts) {
    unit.outbox.add(StatementIssued, {
      book,
      subject: published.id,
      data,
      ...(cause === undefined ? {} : { cause }),
    });
  }
  return parts;
}

function splitIntoParts(
  statement: StatementHeader,
  lines: readonly StatementLine[],
): [StatementPart, ...StatementPart[]] {
  const parts = countParts(lines.length);
  const partAt = (index: number): StatementPart => ({
    statement,
    part: index + 1,
    parts,
    lines: lines.slice(index * maxLinesPerPart, (index + 1) * maxLinesPerPart),
  });
  return [partAt(0), ...Array.from({ length: parts - 1 }, (_, index) => partAt(index + 1))];
}
