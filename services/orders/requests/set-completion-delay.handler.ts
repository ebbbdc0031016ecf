import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { SetCompletionDelay as SetCompletionDelayRequest } from "../../../contracts/messages/orders.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { beginRecheck } from "../rechecks/store/rechecks.ts";
import { upsertCompletionDelay } from "../store/books.ts";

type Setting = z.output<typeof SetCompletionDelayRequest.data>;

/** The operator sets how long the orders of a book wait for returns: `npm run tenants -- set`. */
@Controller()
export class SetCompletionDelay {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** Orders that wait already are made due, so that the phase timeouts compute when their wait ends. */
  @HandlesRequest(SetCompletionDelayRequest)
  set({ completesAfterBankingDays: days }: Setting, request: RequestContext): Promise<Setting> {
    const { book } = request.caller;
    return this.#units.runFor(request, async ({ sql }) => {
      await upsertCompletionDelay(sql, book, days);
      await beginRecheck(sql, { book, kind: "CompletionDelay" }, realTime());
      return { completesAfterBankingDays: days };
    });
  }
}
