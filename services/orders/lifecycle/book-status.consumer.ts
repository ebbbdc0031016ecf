import { Controller } from "@nestjs/common";
import { BookFrozen, BookUnfrozen } from "../../../contracts/messages/books.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { upsertFrozen, upsertTenantStatus } from "../store/books.ts";

/**
 * Records the operator's status of tenants and the ledger's freezes of books. Orders of a suspended tenant or a frozen
 * book are not handed off.
 */
@Controller()
export class BookStatus {
  @Consumes(TenantStatusChanged)
  async onTenantStatus(
    events: readonly MessageOf<typeof TenantStatusChanged>[],
    unit: UnitOfWork,
  ): Promise<void> {
    for (const event of events) await upsertTenantStatus(unit.sql, event.book, event.data.active, event.time);
  }

  @Consumes(BookFrozen, BookUnfrozen)
  async onFreeze(
    events: readonly MessageOf<typeof BookFrozen | typeof BookUnfrozen>[],
    unit: UnitOfWork,
  ): Promise<void> {
    for (const { type, book, sequence = 0 } of events) {
      await upsertFrozen(unit.sql, book, type === BookFrozen.type, sequence);
    }
  }
}
