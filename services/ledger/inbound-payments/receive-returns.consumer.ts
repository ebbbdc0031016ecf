import { Controller } from "@nestjs/common";
import type { InboundReason } from "../../../contracts/http/ledger/inbound-payments.ts";
import {
  creationTimeOf,
  derivedUuid,
  idOf,
  newUuid,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Message } from "../../../contracts/message.ts";
import { SentBackPosted } from "../../../contracts/messages/inbound.ts";
import { PaymentSentBack, UnmatchedReturnReceived } from "../../../contracts/messages/rails.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { bankClassOf, chartAccountId } from "../book/chart-of-accounts.ts";
import type { SentBackCommand, UnmatchedReturnCommand } from "../book/commands.ts";
import { digestOfInbound } from "../book/details.ts";
import type { Journal } from "../book/journal.ts";
import { deferWhileFrozen } from "../posting/defer-commands.ts";
import { InvalidCommand, postJournals } from "../posting/post-journals.ts";
import type { CommandKey } from "../posting/store/deferred-commands.ts";
import { lockBooks, type LockBooks } from "../posting/store/lock-books.ts";
import { firstReports } from "./first-reports.ts";
import { publishPayment } from "./publish-payment.ts";
import { insertInboundPayments, type NewInboundPayment } from "./store/inbound-payments.ts";
import { readPayingAccounts, readReleasedHolds } from "./store/paying-accounts.ts";

type ReturnMessage = Message<typeof UnmatchedReturnReceived> | Message<typeof PaymentSentBack>;

/** What the bank says in such a message, as an inbound payment. */
type Reported = Pick<
  NewInboundPayment,
  | "book"
  | "bankReference"
  | "rail"
  | "direction"
  | "amountCents"
  | "currency"
  | "originatorName"
  | "accountNumberLast4"
  | "returnsPaymentOrderId"
  | "unmatchedReturn"
  | "occurredAt"
>;

type PayingAccounts = Awaited<ReturnType<typeof readPayingAccounts>>;
type ReleasedHolds = Awaited<ReturnType<typeof readReleasedHolds>>;

/** A payment reported for the first time. */
interface FirstReport {
  readonly message: ReturnMessage;
  readonly reported: Reported;
  readonly uuid: string;
}

/**
 * Books money that comes back, but not as a return of an order: a return of an entry that is none of ours goes to
 * Suspense; a payment that its receiver sent back goes to the account that had paid.
 */
@Controller()
export class ReceiveReturns {
  @Consumes(UnmatchedReturnReceived, PaymentSentBack)
  async onReturned(messages: readonly ReturnMessage[], unit: UnitOfWork): Promise<void> {
    await deferWhileFrozen(unit.sql, messages, keyOfReturn, (open) => writeReturns(unit, open));
  }
}

export function isReturn(message: AnyMessage): message is ReturnMessage {
  return message.type === UnmatchedReturnReceived.type || message.type === PaymentSentBack.type;
}

/**
 * Books each once: an unmatched return per trace number and code, a payment per bank reference. Locks the heads first,
 * so that what is known, and the closing of an account, cannot change before the commit. Throws `InvalidCommand` for a
 * book that does not exist, or another payment under a known reference; otherwise throws as `postJournals` does.
 */
export async function writeReturns(
  unit: UnitOfWork,
  messages: readonly ReturnMessage[],
  lock: LockBooks = lockBooks,
): Promise<void> {
  const books = [...new Set(messages.map(({ book }) => book))];
  const heads = await lock(unit.sql, books);
  const missing = books.find((book) => !heads.has(book));
  if (missing !== undefined) throw new InvalidCommand("book_not_found", `${missing} has no book`);
  const fresh = await firstReports(
    unit,
    messages.map((message) => ({ message, reported: reportedBy(message), uuid: newUuid() })),
    ({ reported }) => ({
      ...reported,
      ...(reported.unmatchedReturn === null ? {} : { returnCode: reported.unmatchedReturn.code }),
    }),
  );
  const orders = fresh.flatMap(({ reported: { book, returnsPaymentOrderId: orderId } }) =>
    orderId === null ? [] : [{ book, orderId }],
  );
  const accounts = await readPayingAccounts(unit.sql, orders);
  const released = await readReleasedHolds(
    unit.sql,
    orders.filter(({ orderId }) => !accounts.has(orderId)),
  );
  let journals: readonly Journal[] = [];
  const commands = fresh.map((each) => ({ book: each.reported.book, command: commandOf(each, accounts) }));
  await postJournals(unit.sql, commands, {
    lock,
    onDecided: (_decided, written) => {
      journals = written;
    },
  });
  const booked = new Map(journals.map((journal) => [uuidOf(journal.transactionId), journal]));
  const payments = fresh.map((each) => paymentOf(each, { accounts, released }, booked.get(each.uuid)));
  await insertInboundPayments(unit.sql, payments);
  payments.forEach((payment, index) => {
    const cause = (fresh[index] as FirstReport).message;
    publishPayment(unit, payment, cause);
    const { book, id: inboundPaymentId, returnsPaymentOrderId: orderId } = payment;
    if (orderId === null) return;
    unit.outbox.add(SentBackPosted, { book, subject: orderId, data: { orderId, inboundPaymentId }, cause });
  });
}

function reportedBy(message: ReturnMessage): Reported {
  const { book, data } = message;
  const { rail, amountCents, currency, originatorName, occurredAt } = data;
  // Neither names an account of ours: the one goes to nobody's, the other to the bank's own settlement account.
  const common = { book, rail, amountCents, currency, originatorName, occurredAt, accountNumberLast4: "" };
  if ("orderId" in data) {
    const { bankReference, orderId: returnsPaymentOrderId } = data;
    return { ...common, direction: "Credit", bankReference, returnsPaymentOrderId, unmatchedReturn: null };
  }
  const { direction, traceNumber: bankReference, code, originalTraceNumber } = data;
  const unmatchedReturn = { code, originalTraceNumber };
  return { ...common, direction, bankReference, returnsPaymentOrderId: null, unmatchedReturn };
}

function commandOf(
  { reported, uuid }: FirstReport,
  accounts: PayingAccounts,
): SentBackCommand | UnmatchedReturnCommand {
  const { book, bankReference, rail, direction, amountCents, currency, occurredAt } = reported;
  const { returnsPaymentOrderId: orderId, unmatchedReturn } = reported;
  const common = {
    transactionId: idOf("lt", uuid),
    bankReference,
    contra: { kind: bankClassOf(rail) },
    amountCents,
    currency,
    effectiveAt: occurredAt,
    detailsDigest: digestOfInbound(reported),
  };
  if (unmatchedReturn !== null) {
    const { code } = unmatchedReturn;
    const commandId = derivedUuid(book, `unmatched-return/${bankReference}/${code}`);
    return { kind: "UnmatchedReturn", commandId, code, direction, ...common };
  }
  const ledgerAccountId = accounts.get(orderId as PaymentOrderId)?.id ?? null;
  return {
    kind: "Inbound",
    commandId: derivedUuid(book, `inbound/${bankReference}`),
    ledgerAccountId,
    ...common,
  };
}

/** The digest covers what `firstReports` compares, such as the rail; the command's own hash does not. */
function keyOfReturn(message: ReturnMessage): CommandKey {
  const reported = reportedBy(message);
  const { commandId } = commandOf({ message, reported, uuid: newUuid() }, new Map());
  return { commandId, requestHash: digestOfInbound(reported) };
}

/** Reads the account from the journal, because only `decide` chooses it. */
function paymentOf(
  { reported, uuid }: FirstReport,
  holds: { readonly accounts: PayingAccounts; readonly released: ReleasedHolds },
  journal?: Journal,
): NewInboundPayment {
  const { book, returnsPaymentOrderId: orderId } = reported;
  const creditedId = journal?.entries.find(({ direction }) => direction === "Credit")?.accountId ?? null;
  const isOwn = orderId !== null && creditedId !== chartAccountId(book, "Suspense");
  const id = idOf("ip", uuid);
  return {
    ...reported,
    id,
    ...(isOwn
      ? { status: "Attributed", reason: null, ledgerAccountId: creditedId }
      : {
          // Suspense has paid for it, or will, so it is nobody's.
          status: orderId !== null && holds.released.has(orderId) ? "Offset" : "Suspended",
          reason: suspenseReasonOf(orderId, holds.accounts),
          ledgerAccountId: null,
        }),
    virtualAccountId: null,
    sequence: journal?.sequence ?? null,
    createdAt: creationTimeOf(id),
  };
}

function suspenseReasonOf(orderId: PaymentOrderId | null, accounts: PayingAccounts): InboundReason {
  if (orderId === null) return "UnmatchedReturn";
  const account = accounts.get(orderId);
  if (account === undefined) return "ReturnOfPayment";
  return account.isClosed ? "LedgerAccountClosed" : "BalanceOutOfRange";
}
