import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { QuarantineCommand as QuarantineCommandRequest } from "../../../contracts/messages/books.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { findDeferred, insertDecision, quarantineCommand } from "../posting/store/deferred-commands.ts";
import { lockHeads } from "../posting/store/lock-books.ts";

type Answer = z.input<typeof QuarantineCommandRequest.reply>;

/** An operator leaves a deferred command of a frozen book out (`npm run books -- quarantine`). */
@Controller()
export class QuarantineCommand {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** Changes nothing if the command is quarantined already. Refusals: `not_found`, `invalid_state_transition`. */
  @HandlesRequest(QuarantineCommandRequest)
  quarantine(
    { by, reason, position }: z.output<typeof QuarantineCommandRequest.data>,
    context: RequestContext,
  ): Promise<Answer> {
    const { book } = context.caller;
    const actor = `operator:${by}`;
    return this.#units.runFor(context, async ({ sql }) => {
      const [head] = await lockHeads(sql, [book]);
      if (head === undefined) throw new Refusal("not_found", "There is no such book.");
      const command = await findDeferred(sql, book, position);
      if (command === undefined) {
        const detail =
          "There is no deferred command at this position: it was applied or dropped, or there never was one.";
        throw new Refusal("not_found", detail);
      }
      if (command.failure !== null) return { isNew: false, failure: command.failure };
      if (head.state !== "Frozen") {
        throw new Refusal(
          "invalid_state_transition",
          `The book is ${head.state}: the ledger is replaying its commands. Freeze it first (npm run books -- freeze).`,
          { context: { currentStatus: head.state, allowedStatuses: ["Frozen"] } },
        );
      }
      const failure = `left out by ${actor}: ${reason}`;
      await quarantineCommand(sql, book, command, { text: failure, code: null });
      await insertDecision(sql, book, command, { kind: "LeftOut", actor, reason });
      return { isNew: true, failure };
    });
  }
}
