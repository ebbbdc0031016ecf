import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { ApplyApprovalRights as ApplyRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { recordApprovalRights } from "./record-approval-rights.ts";

/** Stores the rights to approve that the gateway is about to answer with. */
@Controller()
export class ApplyApprovalRights {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  @HandlesRequest(ApplyRequest)
  async apply(
    { rights }: z.output<typeof ApplyRequest.data>,
    request: RequestContext,
  ): Promise<{ recorded: number }> {
    await this.#units.runFor(request, ({ sql }) => recordApprovalRights(sql, request.caller.book, rights));
    return { recorded: rights.length };
  }
}
