import { Controller } from "@nestjs/common";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { upsertApprovalRight } from "../store/approval-rights.ts";
import { makeApprovedByDue } from "../store/orders-awaiting-hand-off.ts";

/** Records who may approve, and lets the hand-off gate look again at the orders that they have approved. */
@Controller()
export class ApprovalRights {
  @Consumes(ApprovalRightChanged)
  async onChange(
    events: readonly MessageOf<typeof ApprovalRightChanged>[],
    { sql }: UnitOfWork,
  ): Promise<void> {
    for (const { book, sequence = 0, data } of events) {
      const heldUntil = timeOf(data.heldUntil);
      const heldSince = timeOf(data.heldSince ?? null);
      const { principal } = data;
      if (!(await upsertApprovalRight(sql, { book, principal, sequence, heldUntil, heldSince }))) continue;
      await makeApprovedByDue(sql, book, principal, new Date());
    }
  }
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
