import { SentBackPosted } from "../../../contracts/messages/inbound.ts";
import { ReleaseHold } from "../../../contracts/messages/ledger.ts";
import type { AnyMessage, Message } from "../../../contracts/message.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { readOutcomes } from "./store/command-outcomes.ts";
import { lockOrCreateBooks, type LockBooks } from "./store/lock-books.ts";
import { readSentBackPayments } from "./store/transactions.ts";

type Release = Message<typeof ReleaseHold>;

/**
 * Finds the releases of holds whose money the receiver has sent back, although the bank says that it did not pay. To
 * release such a hold would pay the payer twice, so it stays open, and each such release is answered with
 * `SentBackPosted`. Returns the other messages. A release that was posted before is among them: its outcome is
 * published again.
 *
 * Locks the heads before it reads, so no payment can be booked until the commit. Throws `BooksFrozen`.
 */
export async function answerReleasesOfSentBack<C extends AnyMessage & { readonly data: object }>(
  { sql, outbox }: UnitOfWork,
  messages: readonly C[],
  lock: LockBooks,
): Promise<readonly C[]> {
  const unpaid = messages.flatMap((message) => (isUnpaidRelease(message) ? [message] : []));
  if (unpaid.length === 0) return messages;
  await lockOrCreateBooks(
    sql,
    messages.map(({ book, data }) => ({ ...data, book })),
    lock,
  );
  const posted = await readOutcomes(
    sql,
    unpaid.map(({ book, data: { commandId } }) => ({ book, commandId })),
  );
  const open = unpaid.filter(({ data }) => !posted.some(({ commandId }) => commandId === data.commandId));
  const sentBack = await readSentBackPayments(
    sql,
    open.map(({ book, data: { orderId } }) => ({ book, orderId })),
  );
  for (const cause of open) {
    const {
      book,
      data: { orderId },
    } = cause;
    const inboundPaymentId = sentBack.get(orderId);
    if (inboundPaymentId === undefined) continue;
    const data = { orderId, inboundPaymentId, isHoldKept: true };
    outbox.add(SentBackPosted, { book, subject: orderId, data, cause });
  }
  return messages.filter((message) => !isUnpaidRelease(message) || !sentBack.has(message.data.orderId));
}

function isUnpaidRelease(message: AnyMessage): message is Release {
  return message.type === ReleaseHold.type && (message as Release).data.unpaid === true;
}
