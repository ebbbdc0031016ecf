import type { AnyMessage } from "../../../contracts/message.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { BooksFrozen } from "./store/lock-books.ts";
import { type CommandKey, insertDeferredCommands } from "./store/deferred-commands.ts";

/**
 * Lets `write` have the messages of books that stand open, and keeps those of frozen books for run-held-commands.ts:
 * they are acknowledged without an outcome. `write` learns of a frozen book by locking its head (`BooksFrozen`) before
 * it writes anything, so a book that nobody examines costs nothing, and the order is that of the lock.
 */
export async function deferWhileFrozen<F extends AnyMessage>(
  sql: Sql,
  messages: readonly F[],
  keyOf: (message: F) => CommandKey,
  write: (messages: readonly F[]) => Promise<void>,
): Promise<void> {
  try {
    await write(messages);
  } catch (error) {
    if (!(error instanceof BooksFrozen)) throw error;
    const held = messages.filter(({ book }) => error.books.has(book));
    await insertDeferredCommands(
      sql,
      held.map((message) => ({ message, key: keyOf(message) })),
    );
    const open = messages.filter(({ book }) => !error.books.has(book));
    if (open.length > 0) await write(open);
  }
}
