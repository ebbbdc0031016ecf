import type { AnyFact } from "../../../contracts/message.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { BooksFrozen } from "./store/lock-books.ts";
import { type HeldKey, keepCommands } from "./store/deferred-commands.ts";

/**
 * Lets `write` have the facts of books that stand open, and keeps those of frozen books for run-held-commands.ts: they
 * are acknowledged without an outcome. `write` learns of a frozen book by locking its head (`BooksFrozen`) before it
 * writes anything, so a book that nobody examines costs nothing, and the order is that of the lock.
 */
export async function holdingFrozen<F extends AnyFact>(
  sql: Sql,
  facts: readonly F[],
  keyOf: (fact: F) => HeldKey,
  write: (facts: readonly F[]) => Promise<void>,
): Promise<void> {
  try {
    await write(facts);
  } catch (error) {
    if (!(error instanceof BooksFrozen)) throw error;
    const held = facts.filter(({ book }) => error.books.has(book));
    await keepCommands(
      sql,
      held.map((fact) => ({ fact, key: keyOf(fact) })),
    );
    const open = facts.filter(({ book }) => !error.books.has(book));
    if (open.length > 0) await write(open);
  }
}
