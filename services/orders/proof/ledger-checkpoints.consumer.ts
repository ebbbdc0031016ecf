import { Controller } from "@nestjs/common";
import { CheckpointMade } from "../../../contracts/messages/books.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { insertLedgerCheckpoint } from "./store/ledger-checkpoints.ts";

/** Stores the checkpoints that the ledger publishes, for `npm run prove`. */
@Controller()
export class LedgerCheckpoints {
  @Consumes(CheckpointMade)
  async onCheckpoint(events: readonly MessageOf<typeof CheckpointMade>[], unit: UnitOfWork): Promise<void> {
    for (const { book, data } of events) await insertLedgerCheckpoint(unit.sql, book, data);
  }
}
