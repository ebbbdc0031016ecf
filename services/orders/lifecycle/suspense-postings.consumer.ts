import { Controller } from "@nestjs/common";
import { SentBackPosted } from "../../../contracts/messages/inbound.ts";
import { SuspensePosted } from "../../../contracts/messages/ledger.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { updateJournalSequences } from "../store/deferred-events.ts";
import { updateSentBackBy } from "../store/payment-orders.ts";

/** The ledger has booked money that moved after its order was final. */
@Controller()
export class SuspensePostings {
  /** The parked event then names the journal, for the person who handles it. */
  @Consumes(SuspensePosted)
  async recordJournals(events: readonly MessageOf<typeof SuspensePosted>[], unit: UnitOfWork): Promise<void> {
    await updateJournalSequences(
      unit.sql,
      events.map(({ book, data: { transactionId, sequence } }) => ({ book, transactionId, sequence })),
    );
  }

  /** The order then shows the payment. Nothing else of it changes. */
  @Consumes(SentBackPosted)
  async recordSentBack(events: readonly MessageOf<typeof SentBackPosted>[], unit: UnitOfWork): Promise<void> {
    const inOrder = events.toSorted((a, b) => (a.data.orderId < b.data.orderId ? -1 : 1));
    for (const { book, data } of inOrder) await updateSentBackBy(unit.sql, book, data, realTime());
  }
}
