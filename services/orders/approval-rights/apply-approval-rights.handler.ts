import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { ApplyApprovalRights as ApplyRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { recordApprovalRights } from "./record-approval-rights.ts";

/** Stores the rights to approve that the gateway is about to answer with. */
@Controller()
export class ApplyApprovalRights {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  @HandlesRequest(ApplyRequest)
  async apply(
    { rights }: z.output<typeof ApplyRequest.data>,
    { caller }: RequestContext,
  ): Promise<{ recorded: number }> {
    await this.#database.transaction(({ sql }) => recordApprovalRights(sql, caller.book, rights));
    return { recorded: rights.length };
  }
}
