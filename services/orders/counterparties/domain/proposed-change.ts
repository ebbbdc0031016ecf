import { Refusal } from "../../../../contracts/errors.ts";
import type { ProposedChange as ProposedChangeView } from "../../../../contracts/http/payments/proposed-changes.ts";
import type {
  BookId,
  CounterpartyId,
  PaymentOrderId,
  ProposedChangeId,
} from "../../../../contracts/ids/ids.ts";
import { addBankingDays, bankingDayOf, endOfDate } from "../../../../contracts/rails/banking-calendar.ts";
import type { EncryptedAccountNumber, Rail } from "../../../../contracts/rails/rails.ts";
import { normalizedName } from "../../../../contracts/text/text.ts";
import type { CounterpartyAccount, CounterpartyDetails } from "../../order/counterparty.ts";
import { type Correction, maskedCorrection } from "../../order/notice-of-change.ts";
import type { OrderTerms } from "../../order/payment-order.ts";

/** A correction that the bank of a counterparty asks for. */
export interface ProposedChange {
  readonly id: ProposedChangeId;
  readonly book: BookId;
  readonly counterpartyId: CounterpartyId;
  /** The order whose notice of change came first. */
  readonly orderId: PaymentOrderId;
  readonly status: ProposedChangeView["status"];
  /** Of the accounts that it is about. */
  readonly rails: readonly Rail[];
  readonly code: string;
  readonly correctedData: Correction;
  readonly receivedAt: Date;
  readonly correctBy: Date;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

export interface Decider {
  readonly principal: string;
  readonly now: Date;
}

type Decrypt = (encrypted: EncryptedAccountNumber) => string;
type Details = Pick<CounterpartyDetails, "name" | "accounts">;

/** Same Day ACH reaches the same accounts under the same rules. No other rail reports changes. */
const achRails: readonly Rail[] = ["Ach", "SameDayAch"];

const bankingDaysToCorrect = 6;

/** The end of the sixth banking day after a notice. One that comes on a closed day counts for the next banking day. */
export function correctByOf(receivedAt: Date): Date {
  return endOfDate(addBankingDays(bankingDayOf(receivedAt), bankingDaysToCorrect));
}

/**
 * The rails of the counterparty's accounts that a notice of an order is about: those to which the order's account still
 * belongs. None if the details were replaced since the order copied them, or if they have the corrected data already.
 */
export function railsConcerned(
  { counterpartyName, counterpartyAccount, counterpartyRoutingNumber }: OrderTerms,
  counterparty: Details,
  correction: Correction,
  decrypt: Decrypt,
): Rail[] {
  if (counterpartyAccount === null || Object.keys(correction).length === 0) return [];
  if (correction.name !== undefined && !isSameName(counterparty.name, counterpartyName ?? "")) return [];
  const used = decrypt(counterpartyAccount);
  const rails = counterparty.accounts
    .filter(
      ({ rail, accountNumber, routingNumber }) =>
        achRails.includes(rail) &&
        routingNumber === counterpartyRoutingNumber &&
        decrypt(accountNumber) === used,
    )
    .map(({ rail }) => rail);
  return changesSomething(correction, counterparty, rails, decrypt) ? rails : [];
}

/** Details that a counterparty does not store count too: somebody has to note them elsewhere. */
function changesSomething(
  correction: Correction,
  counterparty: Details,
  rails: readonly Rail[],
  decrypt: Decrypt,
): boolean {
  const { individualId, transactionCode } = correction;
  const hasNoAccountType = transactionCode !== undefined && accountTypeOf(transactionCode) === null;
  if (individualId !== undefined || hasNoAccountType) return true;
  const { name, accounts } = correctedDetails(counterparty, { rails, correctedData: correction });
  return (
    !isSameName(name, counterparty.name) ||
    accounts.some((account, index) => !isSameAccount(account, counterparty.accounts[index], decrypt))
  );
}

const isSameName = (one: string, other: string) => normalizedName(one) === normalizedName(other);

function isSameAccount(
  one: CounterpartyAccount | undefined,
  other: CounterpartyAccount | undefined,
  decrypt: Decrypt,
): boolean {
  return (
    one !== undefined &&
    other !== undefined &&
    one.routingNumber === other.routingNumber &&
    one.accountType === other.accountType &&
    decrypt(one.accountNumber) === decrypt(other.accountNumber)
  );
}

/**
 * The details with the corrected data. A transaction code says the kind of account (22 and 27 checking, 32 and 37
 * savings). The individual id is not kept: no rail of ours sends one.
 */
export function correctedDetails<D extends Details>(
  details: D,
  { rails, correctedData }: Pick<ProposedChange, "rails" | "correctedData">,
): D {
  const { accountNumber, routingNumber, name, transactionCode } = correctedData;
  const accounts = details.accounts.map((account) =>
    rails.includes(account.rail)
      ? {
          ...account,
          ...(accountNumber === undefined ? {} : { accountNumber }),
          ...(routingNumber === undefined ? {} : { routingNumber }),
          ...(transactionCode === undefined ? {} : { accountType: accountTypeOf(transactionCode) }),
        }
      : account,
  );
  return { ...details, accounts, name: name === undefined ? details.name : normalizedName(name) };
}

/** Null for accounts of a general ledger (4x) and loans (5x), for which there is no type. */
function accountTypeOf(transactionCode: string): CounterpartyAccount["accountType"] {
  if (transactionCode.startsWith("2")) return "Checking";
  return transactionCode.startsWith("3") ? "Savings" : null;
}

/** The open proposal of the same correction, if there is one. Two ciphertexts of the same number differ. */
export function sameProposal<P extends Pick<ProposedChange, "rails" | "code" | "correctedData">>(
  open: readonly P[],
  { rails, code, correctedData }: Pick<ProposedChange, "rails" | "code" | "correctedData">,
  decrypt: Decrypt,
): P | undefined {
  const contentOf = ({ accountNumber, ...plain }: Correction) =>
    JSON.stringify([
      accountNumber === undefined ? null : decrypt(accountNumber),
      plain.routingNumber,
      plain.name,
      plain.transactionCode,
      plain.individualId,
    ]);
  const content = contentOf(correctedData);
  return open.find(
    (other) =>
      other.code === code &&
      other.rails.join() === rails.join() &&
      contentOf(other.correctedData) === content,
  );
}

/**
 * Returns an open proposal after an edit of the counterparty. A proposal must not overwrite what was entered after it:
 * it loses each rail whose account changed. It is Superseded if no rail is left, or if it corrects the name and the
 * name changed. After another accepted correction, only fields that this proposal corrects too matter: one proposal may
 * correct the account number and another the routing number.
 */
export function afterEdit(
  change: ProposedChange,
  { before, after }: { readonly before: Details; readonly after: Details },
  edit: "Replaced" | "Corrected",
  { by, decrypt }: { readonly by: Decider; readonly decrypt: Decrypt },
): ProposedChange {
  const { correctedData } = change;
  const superseded = {
    ...change,
    status: "Superseded",
    decidedBy: by.principal,
    decidedAt: by.now,
  } as const;
  if (correctedData.name !== undefined && !isSameName(before.name, after.name)) return superseded;
  const counts = (field: keyof Correction) => edit === "Replaced" || correctedData[field] !== undefined;
  const rails = change.rails.filter((name) => {
    const [was, is] = [before, after].map(({ accounts }) => accounts.find(({ rail }) => rail === name));
    if (was === undefined || is === undefined) return false;
    return (
      (!counts("routingNumber") || was.routingNumber === is.routingNumber) &&
      (!counts("accountNumber") || decrypt(was.accountNumber) === decrypt(is.accountNumber)) &&
      (correctedData.transactionCode === undefined || was.accountType === is.accountType)
    );
  });
  if (rails.length === 0) return superseded;
  return rails.length === change.rails.length ? change : { ...change, rails };
}

/** Refusals: `invalid_state_transition` if the proposal is not Open. */
export function decided(
  change: ProposedChange,
  status: "Accepted" | "Dismissed",
  { principal, now }: Decider,
): ProposedChange {
  if (change.status !== "Open") {
    const why =
      change.status === "Superseded" ? "The counterparty's details have changed since." : "It is decided.";
    throw new Refusal(
      "invalid_state_transition",
      `This proposal is ${change.status}. ${why} Nothing is left to do; to change the counterparty, replace it with PUT.`,
      {
        context: { resourceId: change.id, currentStatus: change.status, allowedStatuses: ["Open"] },
      },
    );
  }
  return { ...change, status, decidedBy: principal, decidedAt: now };
}

/** The proposal as the API shows it, with the account number masked to its last four. */
export function proposedChangeView(change: ProposedChange): ProposedChangeView {
  return {
    id: change.id,
    counterpartyId: change.counterpartyId,
    paymentOrderId: change.orderId,
    status: change.status,
    rails: [...change.rails],
    code: change.code,
    correctedData: maskedCorrection(change.correctedData),
    receivedAt: change.receivedAt.toISOString(),
    correctBy: change.correctBy.toISOString(),
    decidedBy: change.decidedBy,
    decidedAt: change.decidedAt?.toISOString() ?? null,
  };
}
