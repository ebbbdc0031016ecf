import { Controller } from "@nestjs/common";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { recordApprovalRights } from "./record-approval-rights.ts";

/** Records who may approve. */
@Controller()
export class ApprovalRights {
  @Consumes(ApprovalRightChanged)
  async onChange(
    events: readonly MessageOf<typeof ApprovalRightChanged>[],
    { sql }: UnitOfWork,
  ): Promise<void> {
    for (const { book, sequence = 0, data } of events)
      await recordApprovalRights(sql, book, [{ ...data, sequence }]);
  }
}
