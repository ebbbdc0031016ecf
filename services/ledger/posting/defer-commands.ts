import type { AnyMessage } from "../../../contracts/message.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { BooksFrozen } from "./store/lock-books.ts";
import { type CommandKey, insertDeferredCommands } from "./store/deferred-commands.ts";

/**
 * Passes the messages of open books to `write`, and stores those of frozen books for ReplayDeferredCommands; they are
 * acknowledged without an outcome. `write` locks the heads first and throws `BooksFrozen` before it writes a journal,
 * so open books need no extra query, and deferred commands keep the order in which their heads were locked.
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
    const deferred = messages.filter(({ book }) => error.books.has(book));
    await insertDeferredCommands(
      sql,
      deferred.map((message) => ({ message, key: keyOf(message) })),
    );
    const open = messages.filter(({ book }) => !error.books.has(book));
    if (open.length > 0) await write(open);
  }
}
