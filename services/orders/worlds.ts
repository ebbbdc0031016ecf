import { Inject, Injectable } from "@nestjs/common";
import type { BookId, Mode } from "../../contracts/ids.ts";
import type { Sql } from "../platform/persistence/sql.ts";
import { CONFIG, type OrdersConfig } from "./config.ts";
import { defaultApprovalPolicy } from "./domain/approval-policy.ts";
import type { World } from "./domain/gate.ts";
import { suspendedAmong } from "./store/books.ts";

/** An order, or a caller: whatever belongs to a book. */
interface BookOf {
  readonly book: BookId;
  readonly mode: Mode;
}

/** Looks up what the gate must know of each book, as of this transaction. */
@Injectable()
export class Worlds {
  readonly #config: OrdersConfig;

  constructor(@Inject(CONFIG) config: OrdersConfig) {
    this.#config = config;
  }

  async of(sql: Sql, books: readonly BookId[], now = new Date()): Promise<(of: BookOf) => World> {
    const suspended = await suspendedAmong(sql, books);
    return ({ book, mode }) => ({
      now,
      // Only a sandbox may have a clock of its own.
      clock: mode === "Live" ? "Real" : this.#config.SANDBOX_CLOCK,
      policy: defaultApprovalPolicy,
      tenantActive: !suspended.has(book),
      completesAfterBankingDays: this.#config.COMPLETES_AFTER_BANKING_DAYS,
    });
  }
}
