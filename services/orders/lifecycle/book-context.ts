import { Inject, Injectable } from "@nestjs/common";
import type { BookId, Mode } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { CONFIG, type OrdersConfig } from "../config.ts";
import type { BookContext } from "../order/hand-off-gate.ts";
import { type BookRules, readBookRules } from "../store/books.ts";

/** An order or a caller: anything that belongs to a book. */
interface BookOf {
  readonly book: BookId;
  readonly mode: Mode;
}

export type BookContextOf = (of: BookOf) => BookContext;

/** Reads the context in which orders of each book are decided, as of this transaction. */
@Injectable()
export class BookContexts {
  readonly #config: OrdersConfig;

  constructor(@Inject(CONFIG) config: OrdersConfig) {
    this.#config = config;
  }

  async of(sql: Sql, books: readonly BookId[], now = new Date()): Promise<BookContextOf> {
    const rules = await readBookRules(sql, books);
    return ({ book, mode }) => ({
      now,
      // Only a sandbox can have a clock of its own.
      clock: mode === "Live" ? "Real" : this.#config.SANDBOX_CLOCK,
      ...rulesIn(rules, book),
      completesAfterBankingDays: this.#config.COMPLETES_AFTER_BANKING_DAYS,
    });
  }
}

/** Throws for a book that was not read. Guessing its policy could let orders pass. */
function rulesIn(
  rules: ReadonlyMap<BookId, BookRules>,
  book: BookId,
): Pick<BookContext, "policy" | "tenantActive" | "bookFrozen" | "approvalRights"> {
  const found = rules.get(book);
  if (found === undefined) throw new Error(`the rules of ${book} were not looked up`);
  const { policy, suspended, frozen, approvalRights } = found;
  return { policy, tenantActive: !suspended, bookFrozen: frozen, approvalRights };
}
