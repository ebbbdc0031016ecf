import type { z } from "zod";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Progress, ReportOrdersProgress } from "../../../contracts/messages/clocks.ts";
import type { Sql } from "../persistence/sql.ts";
import { readHandled } from "../consumer/inbox.ts";
import { deleteUnconfirmed, readUnconfirmed } from "../outbox/unconfirmed-messages.ts";

type Question = z.output<typeof ReportOrdersProgress.data>;
/** The earliest time, on the book's clock, at which the service has something to do for the book. */
export type NextDueOf = (sql: Sql, book: BookId) => Promise<Date | null>;

/**
 * Answers what the service still has to do for a book. What is due is read after the messages: a message that was
 * handled in between has made its row due, or has left unconfirmed messages of its own.
 */
export async function reportProgress(
  sql: Sql,
  book: BookId,
  { sentToYou, handled }: Question,
  nextDueOf: NextDueOf,
): Promise<Progress> {
  await deleteUnconfirmed(sql, book, handled);
  const own = await readHandled(sql, sentToYou);
  const unconfirmed = await readUnconfirmed(sql, book);
  const nextDueAt = await nextDueOf(sql, book);
  return { handled: own, unconfirmed, nextDueAt: nextDueAt?.toISOString() ?? null };
}
