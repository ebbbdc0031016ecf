import type {
  StatementFault,
  StatementFaultCreate,
} from "../../../../contracts/http/sandbox/bank-statement-faults.ts";
import {
  type BankStatementFaultId,
  type BookId,
  idOf,
  newUuid,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { StatementErrorChange, OpenStatementError, PrintedLine } from "../domain/bank-statement.ts";

interface StatementErrorRow {
  error_id: string;
  kind: OpenStatementError["kind"];
  order_id: string | null;
  reference: string | null;
  amount_cents: bigint | null;
  side: "In" | "Out" | null;
  printed_on: number | null;
  correction_requested: boolean;
  corrected_on: number | null;
  source: string | null;
  withheld: PrintedLine | null;
  printed: PrintedLine | null;
  created_at: Date;
  statement_id: string | null;
}

const columns = `e.error_id, e.kind, e.order_id, e.reference, e.amount_cents, e.side, e.printed_on, e.correction_requested,
  e.corrected_on, e.source, e.withheld, e.printed, e.created_at,
  (select s.statement_id from bank_statement s where s.book_id = e.book_id and s.number = e.printed_on) as statement_id`;

export async function insertStatementError(
  sql: Sql,
  book: BookId,
  { kind, orderId, bankReference, amountCents, side }: StatementFaultCreate,
): Promise<StatementFault> {
  const [row] = await sql<StatementErrorRow>(
    `insert into bank_statement_error as e (book_id, error_id, kind, order_id, reference, amount_cents, side)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning ${columns}`,
    [
      uuidOf(book),
      newUuid(),
      kind,
      orderId === undefined ? null : uuidOf(orderId),
      bankReference ?? null,
      amountCents ?? null,
      side ?? null,
    ],
  );
  if (row === undefined) throw new TypeError("insert into bank_statement_error returned no row");
  return toStatementFault(row);
}

/** An uncorrected error in a line of this order or bank reference, or undefined. */
export async function readOpenErrorOfLine(
  sql: Sql,
  book: BookId,
  { orderId, bankReference }: Pick<StatementFaultCreate, "orderId" | "bankReference">,
): Promise<BankStatementFaultId | undefined> {
  const [row] = await sql<{ error_id: string }>(
    `select e.error_id
     from bank_statement_error e
     where e.book_id = $1
       and e.corrected_on is null
       and e.kind in ('LineMissing', 'AmountChanged')
       and (
         e.order_id = $2
         or e.reference = $3
         -- The error named the same line in another way, or named none and took the newest.
         or e.withheld ->> 'customerReference' = $4
         or e.withheld ->> 'reference' = $3
       )
     order by e.error_id
     limit 1`,
    [uuidOf(book), orderId === undefined ? null : uuidOf(orderId), bankReference ?? null, orderId ?? null],
  );
  return row === undefined ? undefined : idOf("bsf", row.error_id);
}

/** The errors that the next statement has to make or to correct, oldest first. Call `lockStatements` first. */
export async function readOpenErrors(sql: Sql, book: BookId): Promise<OpenStatementError[]> {
  const rows = await sql<StatementErrorRow>(
    `select ${columns}
     from bank_statement_error e
     where e.book_id = $1
       and e.corrected_on is null
       and (e.correction_requested or e.printed_on is null)
     order by e.error_id`,
    [uuidOf(book)],
  );
  return rows.map((row) => ({
    id: idOf("bsf", row.error_id),
    kind: row.kind,
    orderId: row.order_id === null ? null : idOf("po", row.order_id),
    reference: row.reference,
    amountCents: row.amount_cents === null ? null : Number(row.amount_cents),
    side: row.side,
    printedOn: row.printed_on,
    correctionRequested: row.correction_requested,
    source: row.source,
    withheld: row.withheld,
    printed: row.printed,
  }));
}

/** Stores which errors statement `number` made and which it corrected. */
export async function updateErrors(
  sql: Sql,
  book: BookId,
  number: number,
  changes: readonly StatementErrorChange[],
): Promise<void> {
  for (const change of changes) {
    if (change.to === "Corrected") {
      await sql(
        `update bank_statement_error
         set corrected_on = $3, source = null
         where book_id = $1
           and error_id = $2`,
        [uuidOf(book), uuidOf(change.id), number],
      );
      continue;
    }
    const { source, withheld, printed } = change;
    await sql(
      `update bank_statement_error
       set printed_on = $3, source = $4, withheld = $5, printed = $6
       where book_id = $1
         and error_id = $2`,
      [
        uuidOf(book),
        uuidOf(change.id),
        number,
        source,
        withheld === null ? null : JSON.stringify(withheld),
        printed === null ? null : JSON.stringify(printed),
      ],
    );
  }
}

/**
 * Makes the next statement correct the error. An error that was never printed is corrected at once (`corrected_on` is
 * then 0, the number of no statement), and so is a wrong hash, which no later statement can correct. Undefined if there
 * is no such error, or if it is corrected.
 */
export async function requestCorrection(
  sql: Sql,
  book: BookId,
  id: BankStatementFaultId,
): Promise<StatementFault | undefined> {
  const [row] = await sql<StatementErrorRow>(
    `update bank_statement_error as e
     set correction_requested = true,
       corrected_on = case when e.printed_on is null or e.kind = 'WrongHash' then coalesce(e.printed_on, 0) end
     where e.book_id = $1
       and e.error_id = $2
       and e.corrected_on is null
     returning ${columns}`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : toStatementFault(row);
}

/** One error of the book, or undefined. */
export async function readStatementError(
  sql: Sql,
  book: BookId,
  id: BankStatementFaultId,
): Promise<StatementFault | undefined> {
  const [row] = await sql<StatementErrorRow>(
    `select ${columns}
     from bank_statement_error e
     where e.book_id = $1
       and e.error_id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : toStatementFault(row);
}

/** Newest first, `limit + 1` of them. */
export async function listStatementErrors(
  sql: Sql,
  book: BookId,
  before: string,
  limit: number,
): Promise<StatementFault[]> {
  const rows = await sql<StatementErrorRow>(
    `select ${columns}
     from bank_statement_error e
     where e.book_id = $1
       and e.error_id < $2
     order by e.error_id desc
     limit $3`,
    [uuidOf(book), before, limit + 1],
  );
  return rows.map(toStatementFault);
}

function statusOf({
  printed_on,
  correction_requested,
  corrected_on,
}: StatementErrorRow): StatementFault["status"] {
  if (corrected_on !== null) return "Corrected";
  if (correction_requested) return "Correcting";
  return printed_on === null ? "Waiting" : "Printed";
}

function toStatementFault(row: StatementErrorRow): StatementFault {
  return {
    id: idOf("bsf", row.error_id),
    kind: row.kind,
    status: statusOf(row),
    orderId: row.order_id === null ? null : idOf("po", row.order_id),
    bankReference: row.reference,
    amountCents: row.amount_cents === null ? null : Number(row.amount_cents),
    side: row.side,
    statementId: row.statement_id === null ? null : idOf("stm", row.statement_id),
    createdAt: row.created_at.toISOString(),
  };
}
