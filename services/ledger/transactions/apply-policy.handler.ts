import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { ApplyTransactionPolicy } from "../../../contracts/messages/ledger-transactions.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { upsertTransactionPolicy } from "./store/transaction-policies.ts";

/** Stores the policy that orders is about to answer with, so that a request after that answer is decided by it. */
@Controller()
export class ApplyPolicy {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  @HandlesRequest(ApplyTransactionPolicy)
  async apply(
    policy: z.output<typeof ApplyTransactionPolicy.data>,
    { caller }: RequestContext,
  ): Promise<{ version: number }> {
    await upsertTransactionPolicy(this.#database.sql, caller.book, policy);
    return { version: policy.version };
  }
}
