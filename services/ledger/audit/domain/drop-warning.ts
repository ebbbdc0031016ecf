import { InboundReceived } from "../../../../contracts/messages/inbound.ts";
import { PostLateReturn, PostToSuspense, SettleHold } from "../../../../contracts/messages/ledger.ts";
import { PaymentSentBack, UnmatchedReturnReceived } from "../../../../contracts/messages/rails.ts";

const ofBank: readonly string[] = [InboundReceived.type, UnmatchedReturnReceived.type, PaymentSentBack.type];
const ofOrders: readonly string[] = [SettleHold.type, PostLateReturn.type, PostToSuspense.type];

/**
 * What it means to drop a command whose money the bank has moved; null for one whose money it has not. A type that is
 * in neither list and reports money that the bank has moved belongs there.
 */
export function dropWarning(type: string): string | null {
  if (ofBank.includes(type))
    return "The bank has moved this money, and nobody sends the message again: the book will lack it, and the next reconciliation has a bank line without a journal.";
  if (ofOrders.includes(type))
    return "The bank has moved this money. Only while its order waits does orders send the command again; otherwise the book will lack it, and the next reconciliation has a bank line without a journal.";
  return null;
}
