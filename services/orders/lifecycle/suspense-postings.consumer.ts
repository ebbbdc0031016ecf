import { Controller } from "@nestjs/common";
import { SuspensePosted } from "../../../contracts/messages/ledger.ts";
import { Consumes, type FactOf } from "../../platform/handlers/decorators.ts";
import type { Unit } from "../../platform/handlers/unit-of-work.ts";
import { noteJournals } from "../store/deferred-events.ts";

/** The ledger has booked money that moved after its order was over: whoever looks after it finds the journal. */
@Controller()
export class NoteStrayJournals {
  @Consumes(SuspensePosted)
  async note(facts: readonly FactOf<typeof SuspensePosted>[], unit: Unit): Promise<void> {
    await noteJournals(
      unit.sql,
      facts.map(({ book, data: { transactionId, sequence } }) => ({ book, transactionId, sequence })),
    );
  }
}
