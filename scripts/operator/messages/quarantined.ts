/** Quarantined commands of the ledger: what `npm run books` shows and tries again. */
import type { z } from "zod";
import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import type { RetryCommand } from "../../../contracts/messages/books.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { type Given, Misuse } from "../command-line/given.ts";

/** Deferred commands that failed because of their sender. The book may already be open. */
export async function listQuarantined(sql: Sql, given: Given): Promise<void> {
  const rows = await sql<{
    book_id: string;
    position: bigint;
    deferred_at: Date;
    failure_code: string | null;
    failure: string;
    message: string;
  }>(
    `select book_id, position, deferred_at, failure_code, failure, message
     from deferred_command
     where failure is not null
     order by book_id, position`,
  );
  for (const { book_id, position, deferred_at, failure_code: code, failure, message } of rows) {
    const [book, since] = [idOf("book", book_id), deferred_at.toISOString()];
    const why = textOf({ code, failure });
    given.print(
      { book, position: Number(position), since, code, failure, message: JSON.parse(message) as unknown },
      `${book}  command ${String(position)}, deferred ${since}, could not be replayed: ${why}`,
      `  ${message}`,
    );
  }
}

export async function countQuarantinedOf(sql: Sql, book: BookId): Promise<number> {
  const [row] = await sql<{ count: bigint }>(
    "select count(*) as count from deferred_command where book_id = $1 and failure is not null",
    [uuidOf(book)],
  );
  return Number(row?.count);
}

/** The position of a deferred command, as the list prints it. */
export function positionOf(text: string): number {
  const position = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(position)) return position;
  throw new Misuse(`${text} is not a command's position; see npm run books -- list`);
}

/** Prints how the try ended. The command fails if the ledger's did. */
export function printRetry(
  given: Given,
  { book, position }: { readonly book: BookId; readonly position: number },
  { failure, code }: z.output<typeof RetryCommand.reply>,
): void {
  const command = `${book}  command ${String(position)}`;
  if (failure === null) {
    given.print({ book, position, state: "Applied" }, `applied  ${command}`);
    return;
  }
  given.hasFailed = true;
  const record = { book, position, state: "Quarantined", code, failure };
  given.print(record, `${command} failed again: ${textOf({ code, failure })}`);
}

/** The failure with its code, if it has one. */
function textOf({ code, failure }: { code: string | null; failure: string }): string {
  return code === null ? failure : `${code}: ${failure}`;
}
