import { Controller, Inject } from "@nestjs/common";
import type { Logger } from "pino";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { RetryCommand as RetryCommandRequest } from "../../../contracts/messages/books.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { isInfrastructureFault } from "../../platform/persistence/infrastructure-fault.ts";
import { LOG } from "../../platform/platform.module.ts";
import { type CountRedirected, redirectedReturnsOf } from "../posting/redirected-returns.ts";
import {
  deleteDeferredCommands,
  failureOf,
  findQuarantined,
  insertRetry,
  quarantineCommand,
} from "../posting/store/deferred-commands.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { VirtualAccountNumbers } from "../virtual-accounts/virtual-account-number.ts";
import { lockInState } from "./freeze-book.handler.ts";
import { replayMessages } from "./replay-messages.ts";

type Answer = z.input<typeof RetryCommandRequest.reply>;

/** An operator has a quarantined command tried again (`npm run books -- retry`). */
@Controller()
export class RetryCommand {
  readonly #units: UnitOfWorkRunner;
  readonly #numbers: VirtualAccountNumbers;
  readonly #log: Logger;
  readonly #redirected: CountRedirected;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers,
    @Inject(LOG) log: Logger,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.#units = units;
    this.#numbers = numbers;
    this.#log = log;
    this.#redirected = redirectedReturnsOf(metrics);
  }

  /**
   * Applies the command and deletes it in one commit. Any failure of the command leaves it quarantined, and the book
   * open: nothing was appended. Refusals: `not_found`, `invalid_state_transition`.
   */
  @HandlesRequest(RetryCommandRequest)
  async retry(
    { by, reason, position }: z.output<typeof RetryCommandRequest.data>,
    context: RequestContext,
  ): Promise<Answer> {
    const { book } = context.caller;
    const decided = { actor: `operator:${by}`, reason };
    try {
      await this.#units.runFor(context, async (unit) => {
        const command = await lockQuarantined(unit, book, position);
        const parts = { numbers: this.#numbers, lock: lockBooks, redirected: this.#redirected };
        await replayMessages(unit, [command.message], parts);
        unit.withCommit(deleteDeferredCommands(unit.sql, book, [command]));
        unit.withCommit(insertRetry(unit.sql, book, { ...command, ...decided, failure: null }));
      });
      return { failure: null, code: null };
    } catch (error) {
      if (error instanceof Refusal || isInfrastructureFault(error)) throw error;
      const failure = failureOf(error);
      this.#log.error({ err: error, book, position }, "a quarantined command has failed again");
      await this.#units.runFor(context, async (unit) => {
        const command = await lockQuarantined(unit, book, position);
        await quarantineCommand(unit.sql, book, command, failure);
        await insertRetry(unit.sql, book, { ...command, ...decided, failure: failure.text });
      });
      return { failure: failure.text, code: failure.code };
    }
  }
}

/** Locks the head of an open book, and returns the quarantined command. */
async function lockQuarantined(unit: UnitOfWork, book: BookId, position: number) {
  await lockInState(unit, book, ["Open"]);
  const command = await findQuarantined(unit.sql, book, position);
  if (command === undefined) {
    throw new Refusal("not_found", "There is no quarantined command at this position of the book.");
  }
  return command;
}
