import { Controller, Inject } from "@nestjs/common";
import type { Logger } from "pino";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { DropCommand as DropCommandRequest } from "../../../contracts/messages/books.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { LOG } from "../../platform/platform.module.ts";
import {
  type CommandDecision,
  type Decided,
  decisionsAbout,
  deleteDeferredCommands,
  findDeferred,
  type FoundCommand,
  insertDecision,
} from "../posting/store/deferred-commands.ts";
import { lockInState } from "./freeze-book.handler.ts";
import { dropWarning } from "./domain/drop-warning.ts";

type Answer = z.input<typeof DropCommandRequest.reply>;

/** An operator drops a quarantined command for good (`npm run books -- drop`). */
@Controller()
export class DropCommand {
  readonly #units: UnitOfWorkRunner;
  readonly #log: Logger;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(LOG) log: Logger) {
    this.#units = units;
    this.#log = log;
  }

  /**
   * Deletes the command, and keeps its whole message with the decision, in one commit. If the bank has moved its money,
   * one operator proposes that and another confirms it. A repeat changes nothing. Refusals: `not_found`,
   * `invalid_state_transition`.
   */
  @HandlesRequest(DropCommandRequest)
  drop(
    { by, reason, position }: z.output<typeof DropCommandRequest.data>,
    context: RequestContext,
  ): Promise<Answer> {
    const { book } = context.caller;
    const decided = { actor: `operator:${by}`, reason };
    return this.#units.runFor(context, async (unit) => {
      await lockInState(unit, book, ["Open", "Frozen", "Releasing"]);
      const decisions = await decisionsAbout(unit.sql, book, position);
      const command = await findDeferred(unit.sql, book, position);
      if (command === undefined) return droppedBefore(decisions);
      if (command.failure === null) throw notQuarantined();
      return this.#dropOrPropose(unit, book, { command, decided, decisions });
    });
  }

  async #dropOrPropose(
    unit: UnitOfWork,
    book: BookId,
    about: {
      readonly command: FoundCommand;
      readonly decided: Decided;
      readonly decisions: readonly CommandDecision[];
    },
  ): Promise<Answer> {
    const { command, decided, decisions } = about;
    const warning = dropWarning(command.message.type);
    const proposals = decisions.filter(({ kind }) => kind === "DropProposed");
    const isOwn = ({ actor }: CommandDecision) => isSamePrincipal(actor, decided.actor);
    if (warning !== null && proposals.every(isOwn)) {
      if (proposals.length === 0)
        await insertDecision(unit.sql, book, command, { kind: "DropProposed", ...decided });
      return { outcome: "Proposed", warning };
    }
    await deleteDeferredCommands(unit.sql, book, [command]);
    await insertDecision(unit.sql, book, command, { kind: "Dropped", ...decided });
    const dropped = {
      book,
      position: Number(command.position),
      type: command.message.type,
      by: decided.actor,
    };
    unit.afterCommit(() => this.#log.warn(dropped, "an operator dropped a quarantined command"));
    return { outcome: "Dropped", warning };
  }
}

function droppedBefore(decisions: readonly CommandDecision[]): Answer {
  if (decisions.some(({ kind }) => kind === "Dropped")) return { outcome: "DroppedBefore", warning: null };
  throw new Refusal(
    "not_found",
    "There is no deferred command at this position: it was applied, or there never was one.",
  );
}

function notQuarantined(): Refusal {
  return new Refusal(
    "invalid_state_transition",
    "The command waits for its turn. If it must not be applied, quarantine it while its book is frozen (npm run books -- quarantine), then drop it.",
    { context: { currentStatus: "Waiting", allowedStatuses: ["Quarantined"] } },
  );
}
