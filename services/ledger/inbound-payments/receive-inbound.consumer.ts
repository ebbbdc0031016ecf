import { Controller, Inject } from "@nestjs/common";
import type { InboundReason } from "../../../contracts/http/ledger/inbound-payments.ts";
import {
  creationTimeOf,
  derivedUuid,
  idOf,
  type LedgerAccountId,
  newUuid,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Message } from "../../../contracts/message.ts";
import { InboundReceived } from "../../../contracts/messages/inbound.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { bankClassOf, chartAccountId } from "../book/chart-of-accounts.ts";
import { digestOfInbound } from "../book/details.ts";
import type { InboundCommand } from "../book/commands.ts";
import type { Journal } from "../book/journal.ts";
import { deferWhileFrozen } from "../posting/defer-commands.ts";
import { lockBooks, type LockBooks, lockOrCreateBooks } from "../posting/store/lock-books.ts";
import type { CommandKey } from "../posting/store/deferred-commands.ts";
import { insertInboundPayments, type NewInboundPayment } from "./store/inbound-payments.ts";
import { firstReports } from "./first-reports.ts";
import { publishPayment } from "./publish-payment.ts";
import { findByNumbers, type NumberOwner } from "../virtual-accounts/store/virtual-accounts.ts";
import { VirtualAccountNumbers } from "../virtual-accounts/virtual-account-number.ts";
import { postJournals } from "../posting/post-journals.ts";

type InboundMessage = Message<typeof InboundReceived>;

/** A payment reported for the first time, with the owner of the number that it was sent to. */
interface Attributed {
  readonly message: InboundMessage;
  readonly owner: NumberOwner | undefined;
  readonly uuid: string;
}

/** Books incoming payments to the account that their number belongs to. */
@Controller()
export class ReceiveInbound {
  readonly #numbers: VirtualAccountNumbers;

  constructor(@Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers) {
    this.#numbers = numbers;
  }

  @Consumes(InboundReceived)
  async onReceived(messages: readonly InboundMessage[], unit: UnitOfWork): Promise<void> {
    await deferWhileFrozen(unit.sql, messages, keyOfInbound, (open) =>
      writeInbound(unit, open, this.#numbers),
    );
  }
}

export function isInbound(message: AnyMessage): message is InboundMessage {
  return message.type === InboundReceived.type;
}

/**
 * Books payments, each bank reference once per book; repeats change nothing. Locks the heads first, so that the status
 * of a number, the closing of an account and the known references cannot change before the commit. Throws
 * InvalidCommand if the bank reported another payment under the same reference; otherwise throws as `postJournals`
 * does.
 */
export async function writeInbound(
  unit: UnitOfWork,
  messages: readonly InboundMessage[],
  numbers: VirtualAccountNumbers,
  lock: LockBooks = lockBooks,
): Promise<void> {
  const owners = messages.map(({ book, data }) => ({ book, tenantId: data.tenantId, mode: data.mode }));
  await lockOrCreateBooks(unit.sql, owners, lock);
  const fresh = await firstReports(unit, messages, ({ book, data }) => ({ book, ...data }));
  const found = await findByNumbers(
    unit.sql,
    fresh.map(({ book, data }) => ({ book, hash: numbers.hashOfEncrypted(data.accountNumber) })),
  );
  const all = fresh.map((message, index) => ({ message, owner: found[index], uuid: newUuid() }));
  const credits = all.filter(({ message }) => message.data.direction === "Credit");
  let journals: readonly Journal[] = [];
  await postJournals(
    unit.sql,
    credits.map((each) => ({ book: each.message.book, command: commandOf(each) })),
    {
      lock,
      onDecided: (_decided, written) => {
        journals = written;
      },
    },
  );
  const booked = new Map(journals.map((journal) => [uuidOf(journal.transactionId), journal]));
  const payments = all.map((each) => paymentOf(each, booked.get(each.uuid)));
  await insertInboundPayments(unit.sql, payments);
  payments.forEach((payment, index) => {
    publishPayment(unit, payment, fresh[index] as InboundMessage);
  });
}

/** One command per book and reference, however often the bank reports it. */
function commandOf({ message: { book, data }, owner, uuid }: Attributed): InboundCommand {
  return {
    kind: "Inbound",
    commandId: derivedUuid(book, `inbound/${data.bankReference}`),
    tenantId: data.tenantId,
    mode: data.mode,
    transactionId: idOf("lt", uuid),
    bankReference: data.bankReference,
    contra: { kind: bankClassOf(data.rail) },
    amountCents: data.amountCents,
    currency: data.currency,
    ledgerAccountId: owner?.status === "Active" ? owner.ledgerAccountId : null,
    effectiveAt: data.occurredAt,
    detailsDigest: digestOf(data),
  };
}

/** The digest covers what `firstReports` compares, such as the direction; the command's own hash does not. */
function keyOfInbound(message: InboundMessage): CommandKey {
  const { commandId } = commandOf({ message, owner: undefined, uuid: newUuid() });
  return { commandId, requestHash: digestOf(message.data) };
}

function digestOf(data: InboundMessage["data"]): string {
  return digestOfInbound({ ...data, accountNumberLast4: data.accountNumber.last4 });
}

/** Reads the account from the journal, because only `decide` chooses it. */
function paymentOf(
  { message: { book, data }, owner, uuid }: Attributed,
  journal?: Journal,
): NewInboundPayment {
  const creditedId = journal?.entries.find(({ direction }) => direction === "Credit")?.accountId;
  const ledgerAccountId = creditedId === chartAccountId(book, "Suspense") ? null : (creditedId ?? null);
  const id = idOf("ip", uuid);
  return {
    id,
    book,
    bankReference: data.bankReference,
    rail: data.rail,
    direction: data.direction,
    amountCents: data.amountCents,
    currency: data.currency,
    originatorName: data.originatorName,
    accountNumberLast4: data.accountNumber.last4,
    ...statusOf(ledgerAccountId, owner, data.direction),
    virtualAccountId: owner?.id ?? null,
    ledgerAccountId,
    sequence: journal?.sequence ?? null,
    returnsPaymentOrderId: null,
    unmatchedReturn: null,
    occurredAt: data.occurredAt,
    createdAt: creationTimeOf(id),
  };
}

/** A debit of a number that only receives money was not authorized: R29 (Nacha, corporate customer). */
function statusOf(
  creditedId: LedgerAccountId | null,
  owner: NumberOwner | undefined,
  direction: "Credit" | "Debit",
): Pick<NewInboundPayment, "status" | "reason"> {
  if (direction === "Debit") return { status: "Returned", reason: "DebitNotAuthorized" };
  if (creditedId !== null) return { status: "Attributed", reason: null };
  return { status: "Suspended", reason: suspenseReasonOf(owner) };
}

function suspenseReasonOf(owner: NumberOwner | undefined): InboundReason {
  if (owner === undefined) return "UnknownNumber";
  if (owner.status === "Disabled") return "VirtualAccountDisabled";
  if (owner.status === "Closed") return "VirtualAccountClosed";
  return owner.isLedgerAccountClosed ? "LedgerAccountClosed" : "BalanceOutOfRange";
}
