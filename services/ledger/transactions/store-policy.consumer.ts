import { Controller } from "@nestjs/common";
import { ApprovalPolicyChanged } from "../../../contracts/messages/orders.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { upsertTransactionPolicy } from "./store/transaction-policies.ts";

/** Stores what a book's approval policy requires of manual transactions, so that it holds while orders is down. */
@Controller()
export class StorePolicy {
  @Consumes(ApprovalPolicyChanged)
  async onChange(
    events: readonly MessageOf<typeof ApprovalPolicyChanged>[],
    { sql }: UnitOfWork,
  ): Promise<void> {
    for (const { book, data } of events) await upsertTransactionPolicy(sql, book, data);
  }
}
