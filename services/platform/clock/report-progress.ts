import type { z } from "zod";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Progress, ReportOrdersProgress } from "../../../contracts/messages/clocks.ts";
import type { Sql } from "../persistence/sql.ts";
import type { ClockFollower } from "./clock-follower.ts";
import { readHandled } from "../consumer/inbox.ts";
import { deleteUnconfirmed, readUnconfirmed } from "../outbox/unconfirmed-messages.ts";

type Question = z.output<typeof ReportOrdersProgress.data>;
/**
 * Answers what the service still has to do for a book. What is due is read after the messages: a message that was
 * handled in between has made its row due, or has left unconfirmed messages of its own. What is under way is read
 * before that: once it has ended, what follows from it is due.
 */
export async function reportProgress(
  sql: Sql,
  book: BookId,
  { sentToYou, handled }: Question,
  service: Pick<ClockFollower, "nextDueOf"> & Partial<Pick<ClockFollower, "underWayOf">>,
): Promise<Progress> {
  await deleteUnconfirmed(sql, book, handled);
  const own = await readHandled(sql, sentToYou);
  const unconfirmed = await readUnconfirmed(sql, book);
  const underWay = await service.underWayOf?.(sql, book);
  const nextDueAt = await service.nextDueOf(sql, book);
  return { handled: own, unconfirmed, underWay, nextDueAt: nextDueAt?.toISOString() ?? null };
}
