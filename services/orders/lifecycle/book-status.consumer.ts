import { Controller } from "@nestjs/common";
import { BookFrozen, BookUnfrozen } from "../../../contracts/messages/books.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import { Consumes, type FactOf } from "../../platform/handlers/decorators.ts";
import type { Unit } from "../../platform/handlers/unit-of-work.ts";
import { noteFrozen, noteStatus } from "../store/books.ts";

/** Follows the operator's word on tenants and the ledger's on books: orders of such a book stay where they are. */
@Controller()
export class SuspendBooks {
  @Consumes(TenantStatusChanged)
  async follow(facts: readonly FactOf<typeof TenantStatusChanged>[], unit: Unit): Promise<void> {
    for (const fact of facts) await noteStatus(unit.sql, fact.book, fact.data.active, fact.time);
  }

  @Consumes(BookFrozen, BookUnfrozen)
  async followLedger(
    facts: readonly FactOf<typeof BookFrozen | typeof BookUnfrozen>[],
    unit: Unit,
  ): Promise<void> {
    for (const { type, book, sequence = 0 } of facts) {
      await noteFrozen(unit.sql, book, type === BookFrozen.type, sequence);
    }
  }
}
