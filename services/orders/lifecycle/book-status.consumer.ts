import { Controller } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { BookFrozen, BookUnfrozen } from "../../../contracts/messages/books.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { recheckLater } from "../rechecks/store/rechecks.ts";
import { upsertFrozen, upsertTenantStatus } from "../store/books.ts";

/**
 * Records the operator's status of tenants and the ledger's freezes of books. Orders of a suspended tenant or a frozen
 * book are not handed off. When that is over, orders that wait for their hand-off are made due: some may have been
 * approved since. These events overtake those of payments, and may come twice and in any order.
 */
@Controller()
export class BookStatus {
  @Consumes(TenantStatusChanged)
  async onTenantStatus(
    events: readonly MessageOf<typeof TenantStatusChanged>[],
    unit: UnitOfWork,
  ): Promise<void> {
    for (const { book, sequence: version = 0, data, time: since } of byBook(events)) {
      const isNew = await upsertTenantStatus(unit.sql, book, { active: data.active, version, since });
      if (isNew && data.active) await recheckLater(unit.sql, { book, kind: "Gate" });
    }
  }

  @Consumes(BookFrozen, BookUnfrozen)
  async onFreeze(
    events: readonly MessageOf<typeof BookFrozen | typeof BookUnfrozen>[],
    unit: UnitOfWork,
  ): Promise<void> {
    for (const { type, book, sequence: version = 0 } of byBook(events)) {
      const isFrozen = type === BookFrozen.type;
      const isNew = await upsertFrozen(unit.sql, book, isFrozen, version);
      if (isNew && !isFrozen) await recheckLater(unit.sql, { book, kind: "Gate" });
    }
  }
}

/** In the order in which all batches lock the books, so that two of them don't deadlock. */
function byBook<E extends { readonly book: BookId }>(events: readonly E[]): E[] {
  return events.toSorted((a, b) => (a.book < b.book ? -1 : Number(a.book > b.book)));
}
