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
import type { FaultChange, OpenFault, PrintedLine } from "../domain/bank-statement.ts";

interface FaultRow {
  fault_id: string;
  kind: OpenFault["kind"];
  order_id: string | null;
  reference: string | null;
  amount_cents: bigint | null;
  side: "In" | "Out" | null;
  printed_on: number | null;
  correct: boolean;
  corrected_on: number | null;
  source: string | null;
  withheld: PrintedLine | null;
  printed: PrintedLine | null;
  created_at: Date;
  statement_id: string | null;
}

const columns = `f.fault_id, f.kind, f.order_id, f.reference, f.amount_cents, f.side, f.printed_on, f.correct,
  f.corrected_on, f.source, f.withheld, f.printed, f.created_at,
  (select s.statement_id from bank_statement s where s.book_id = f.book_id and s.number = f.printed_on) as statement_id`;

export async function insertFault(
  sql: Sql,
  book: BookId,
  { kind, orderId, bankReference, amountCents, side }: StatementFaultCreate,
): Promise<StatementFault> {
  const [row] = await sql<FaultRow>(
    `insert into bank_statement_fault as f (book_id, fault_id, kind, order_id, reference, amount_cents, side)
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
  if (row === undefined) throw new TypeError("an insert gives its row");
  return toStatementFault(row);
}

/** A fault that spoils a line of this order or reference and is not corrected; undefined where there is none. */
export async function findOpenFault(
  sql: Sql,
  book: BookId,
  { orderId, bankReference }: Pick<StatementFaultCreate, "orderId" | "bankReference">,
): Promise<BankStatementFaultId | undefined> {
  const [row] = await sql<{ fault_id: string }>(
    `select f.fault_id
     from bank_statement_fault f
     where f.book_id = $1
       and f.corrected_on is null
       and f.kind in ('LineMissing', 'AmountChanged')
       and (
         f.order_id = $2
         or f.reference = $3
         -- It named the line otherwise, or took the newest.
         or f.withheld ->> 'customerReference' = $4
         or f.withheld ->> 'reference' = $3
       )
     order by f.fault_id
     limit 1`,
    [uuidOf(book), orderId === undefined ? null : uuidOf(orderId), bankReference ?? null, orderId ?? null],
  );
  return row === undefined ? undefined : idOf("bsf", row.fault_id);
}

/** What the next statement has to do with, oldest first. The book's statements are locked. */
export async function openFaults(sql: Sql, book: BookId): Promise<OpenFault[]> {
  const rows = await sql<FaultRow>(
    `select ${columns}
     from bank_statement_fault f
     where f.book_id = $1
       and f.corrected_on is null
       and (f.correct or f.printed_on is null)
     order by f.fault_id`,
    [uuidOf(book)],
  );
  return rows.map((row) => ({
    id: idOf("bsf", row.fault_id),
    kind: row.kind,
    orderId: row.order_id === null ? null : idOf("po", row.order_id),
    reference: row.reference,
    amountCents: row.amount_cents === null ? null : Number(row.amount_cents),
    side: row.side,
    printedOn: row.printed_on,
    correct: row.correct,
    source: row.source,
    withheld: row.withheld,
    printed: row.printed,
  }));
}

/** Notes what statement `number` made of its faults. */
export async function noteFaults(
  sql: Sql,
  book: BookId,
  number: number,
  changes: readonly FaultChange[],
): Promise<void> {
  for (const change of changes) {
    if (change.to === "Corrected") {
      await sql(
        `update bank_statement_fault
         set corrected_on = $3, source = null
         where book_id = $1
           and fault_id = $2`,
        [uuidOf(book), uuidOf(change.id), number],
      );
      continue;
    }
    const { source, withheld, printed } = change;
    await sql(
      `update bank_statement_fault
       set printed_on = $3, source = $4, withheld = $5, printed = $6
       where book_id = $1
         and fault_id = $2`,
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

/** The book's next statement is to put it right. Undefined: there is no such fault, or it is corrected. */
export async function markForCorrection(
  sql: Sql,
  book: BookId,
  id: BankStatementFaultId,
): Promise<StatementFault | undefined> {
  const [row] = await sql<FaultRow>(
    `update bank_statement_fault as f
     set correct = true,
       corrected_on = case when f.printed_on is null or f.kind = 'WrongHash' then coalesce(f.printed_on, 0) end
     where f.book_id = $1
       and f.fault_id = $2
       and f.corrected_on is null
     returning ${columns}`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : toStatementFault(row);
}

/** One fault of the book, as it stands. */
export async function findFault(
  sql: Sql,
  book: BookId,
  id: BankStatementFaultId,
): Promise<StatementFault | undefined> {
  const [row] = await sql<FaultRow>(
    `select ${columns}
     from bank_statement_fault f
     where f.book_id = $1
       and f.fault_id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : toStatementFault(row);
}

/** Newest first, `limit + 1` of them. */
export async function listFaults(
  sql: Sql,
  book: BookId,
  before: string,
  limit: number,
): Promise<StatementFault[]> {
  const rows = await sql<FaultRow>(
    `select ${columns}
     from bank_statement_fault f
     where f.book_id = $1
       and f.fault_id < $2
     order by f.fault_id desc
     limit $3`,
    [uuidOf(book), before, limit + 1],
  );
  return rows.map(toStatementFault);
}

function statusOf({ printed_on, correct, corrected_on }: FaultRow): StatementFault["status"] {
  if (corrected_on !== null) return "Corrected";
  if (correct) return "Correcting";
  return printed_on === null ? "Waiting" : "Printed";
}

function toStatementFault(row: FaultRow): StatementFault {
  return {
    id: idOf("bsf", row.fault_id),
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
