import type { AnyMessage } from "../../../contracts/message.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { isInbound, writeInbound } from "../inbound-payments/receive-inbound.consumer.ts";
import { isReturn, writeReturns } from "../inbound-payments/receive-returns.consumer.ts";
import { isCommandMessage, postCommands } from "../posting/post-commands.consumer.ts";
import type { CountRedirected } from "../posting/redirected-returns.ts";
import type { LockBooks } from "../posting/store/lock-books.ts";
import type { VirtualAccountNumbers } from "../virtual-accounts/virtual-account-number.ts";

interface ReplayParts {
  readonly numbers: VirtualAccountNumbers;
  readonly lock: LockBooks;
  readonly redirected: CountRedirected;
}

/** Passes each deferred message to the code of its own consumer, in order of arrival. */
export async function replayMessages(
  unit: UnitOfWork,
  messages: readonly AnyMessage[],
  { numbers, lock, redirected }: ReplayParts,
): Promise<void> {
  for (let from = 0; from < messages.length; ) {
    const takes = [isCommandMessage, isInbound, isReturn].find((is) => is(messages[from] as AnyMessage));
    if (takes === undefined) throw new TypeError("no consumer replays this deferred message");
    const length = messages.slice(from).findIndex((message) => !takes(message));
    const sameKind = messages.slice(from, length === -1 ? undefined : from + length);
    from += sameKind.length;
    const commands = sameKind.filter(isCommandMessage);
    const payments = sameKind.filter(isInbound);
    const returns = sameKind.filter(isReturn);
    if (commands.length > 0) await postCommands(unit, commands, { lock, redirected });
    if (payments.length > 0) await writeInbound(unit, payments, numbers, lock);
    if (returns.length > 0) await writeReturns(unit, returns, lock);
  }
}
