import { Controller, Inject } from "@nestjs/common";
import type { AnyMessage } from "../../../contracts/message.ts";
import {
  PlaceHold,
  PostLateReturn,
  PostToSuspense,
  ReleaseHold,
  SettleHold,
} from "../../../contracts/messages/ledger.ts";
import { Consumes, type MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { requestHash } from "../book/canonical.ts";
import type { LedgerCommand } from "../book/commands.ts";
import { deferWhileFrozen } from "./defer-commands.ts";
import { answerReleasesOfSentBack } from "./kept-holds.ts";
import { postJournals } from "./post-journals.ts";
import { publishOutcome } from "./publish-outcomes.ts";
import { publishRemittanceEvent } from "./publish-remittance-events.ts";
import { type CountRedirected, redirectedReturnsOf } from "./redirected-returns.ts";
import { BookCache } from "./store/book-cache.ts";
import type { CommandKey } from "./store/deferred-commands.ts";
import { lockBooks, type LockBooks } from "./store/lock-books.ts";

const commandKinds = {
  [PlaceHold.type]: "Hold",
  [SettleHold.type]: "Settle",
  [ReleaseHold.type]: "Release",
  [PostLateReturn.type]: "LateReturn",
  [PostToSuspense.type]: "Suspense",
} as const satisfies Record<string, LedgerCommand["kind"]>;

export type CommandMessage = MessageOf<
  typeof PlaceHold | typeof SettleHold | typeof ReleaseHold | typeof PostLateReturn | typeof PostToSuspense
>;

/** Posts the commands of orders, in the batches that the consumer forms. */
@Controller()
export class PostCommands {
  readonly #cache = new BookCache();
  readonly #redirected: CountRedirected;

  constructor(@Inject(Metrics) metrics: Metrics) {
    this.#redirected = redirectedReturnsOf(metrics);
  }

  @Consumes(PlaceHold, SettleHold, ReleaseHold, PostLateReturn, PostToSuspense)
  async onCommands(messages: readonly CommandMessage[], unit: UnitOfWork): Promise<void> {
    await deferWhileFrozen(unit.sql, messages, commandKeyOf, (open) =>
      postCommands(unit, open, { cache: this.#cache, redirected: this.#redirected }),
    );
  }
}

/**
 * Posts a batch of command messages and publishes their outcomes. A release of a hold that is kept is not posted, and
 * has another answer (kept-holds.ts). Throws as `postJournals` does.
 */
export async function postCommands(
  unit: UnitOfWork,
  messages: readonly CommandMessage[],
  options: {
    readonly lock?: LockBooks;
    readonly cache?: BookCache;
    readonly redirected?: CountRedirected;
  } = {},
): Promise<void> {
  const { lock = lockBooks, cache = new BookCache(), redirected } = options;
  const applicable = await answerReleasesOfSentBack(unit, messages, lock);
  if (applicable.length === 0) return;
  const batch = applicable.map((message) => ({ message, book: message.book, command: toCommand(message) }));
  try {
    await postJournals(unit.sql, batch, {
      lock,
      cache,
      afterCommit: unit.afterCommit,
      withCommit: unit.withCommit,
      onDecided: (decided, journals) => {
        unit.afterCommit(() => redirected?.(journals));
        for (const { item, outcome, transition } of decided) {
          publishOutcome(unit.outbox, item.book, item.command, outcome, item.message);
          if (transition !== null) publishRemittanceEvent(unit.outbox, transition, item.message);
        }
      },
    });
  } catch (error) {
    cache.clear();
    throw error;
  }
}

export function isCommandMessage(message: AnyMessage): message is CommandMessage {
  return message.type in commandKinds;
}

/** Two messages are the same command when their command id and their request are the same. */
function commandKeyOf(message: CommandMessage): CommandKey {
  const command = toCommand(message);
  return { commandId: command.commandId, requestHash: requestHash(message.book, command) };
}

function toCommand(message: CommandMessage): LedgerCommand {
  const kind = commandKinds[message.type];
  if (kind === undefined) throw new TypeError(`${message.type} is not a command of the ledger`);
  // The consumer parsed `data` with this type's contract.
  return { kind, ...message.data } as LedgerCommand;
}
