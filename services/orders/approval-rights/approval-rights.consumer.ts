import { Controller } from "@nestjs/common";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { recordApprovalRights } from "./record-approval-rights.ts";

/** Records who may approve, book by book in the order of their ids, so that two batches of rights don't deadlock. */
@Controller()
export class ApprovalRights {
  @Consumes(ApprovalRightChanged)
  async onChange(
    events: readonly MessageOf<typeof ApprovalRightChanged>[],
    { sql }: UnitOfWork,
  ): Promise<void> {
    const byBook = [...Map.groupBy(events, ({ book }) => book)].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [book, changes] of byBook) {
      const rights = changes.map(({ sequence = 0, data }) => ({ ...data, sequence }));
      await recordApprovalRights(sql, book, rights);
    }
  }
}
