import { Controller } from "@nestjs/common";
import { TenantStatusChanged } from "../../contracts/messages/tenants.ts";
import { Consumes, type FactOf } from "../platform/messaging/decorators.ts";
import type { Unit } from "../platform/messaging/unit.ts";
import { noteStatus } from "./store/books.ts";

/** Follows the operator's word on tenants: a suspended tenant's orders stay where they are. */
@Controller()
export class SuspendBooks {
  @Consumes(TenantStatusChanged)
  async follow(facts: readonly FactOf<typeof TenantStatusChanged>[], unit: Unit): Promise<void> {
    for (const fact of facts) await noteStatus(unit.sql, fact.book, fact.data.active, fact.time);
  }
}
