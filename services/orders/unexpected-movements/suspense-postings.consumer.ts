import { Controller } from "@nestjs/common";
import { SuspensePosted } from "../../../contracts/messages/ledger.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { updateJournalSequences } from "../store/parked-events.ts";

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
}
