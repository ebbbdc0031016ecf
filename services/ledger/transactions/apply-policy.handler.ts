import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { ApplyTransactionPolicy } from "../../../contracts/messages/ledger-transactions.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { upsertTransactionPolicy } from "./store/transaction-policies.ts";

/** Stores the policy that orders is about to answer with, so that a request after that answer is decided by it. */
@Controller()
export class ApplyPolicy {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  @HandlesRequest(ApplyTransactionPolicy)
  async apply(
    policy: z.output<typeof ApplyTransactionPolicy.data>,
    request: RequestContext,
  ): Promise<{ version: number }> {
    const { book } = request.caller;
    await this.#units.runFor(request, ({ sql }) => upsertTransactionPolicy(sql, book, policy));
    return { version: policy.version };
  }
}
