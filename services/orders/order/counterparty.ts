import { type ErrorCode, Refusal } from "../../../contracts/errors.ts";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import type { BookId, CounterpartyId, Mode, ProposedChangeId } from "../../../contracts/ids/ids.ts";
import {
  maskedAccountNumber,
  type Rail,
  type EncryptedAccountNumber,
} from "../../../contracts/rails/rails.ts";
import { isSamePrincipal } from "../../../contracts/text/principals.ts";
import { normalizedName } from "../../../contracts/text/text.ts";
import { accountFaultOf } from "./account-format.ts";

/** An account on one rail. Not for Book, whose accounts belong to the book itself. */
export interface CounterpartyAccount {
  readonly rail: Exclude<Rail, "Book">;
  readonly accountNumber: EncryptedAccountNumber;
  readonly routingNumber: string;
  readonly accountType: CounterpartyView["accounts"][number]["accountType"];
}

/** The fields that a tenant sends. PUT replaces all of them. */
export interface CounterpartyDetails {
  readonly name: string;
  readonly type: CounterpartyView["type"];
  readonly email: string | null;
  readonly externalId: string | null;
  /** At most one per rail. */
  readonly accounts: readonly CounterpartyAccount[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Counterparty extends CounterpartyDetails {
  readonly id: CounterpartyId;
  readonly book: BookId;
  readonly verificationStatus: CounterpartyView["verificationStatus"];
  readonly verifiedBy: string | null;
  readonly verifiedAt: Date | null;
  /** Every principal that changed name, type or accounts since it was last Verified. None of them may verify it. */
  readonly detailsEnteredBy: readonly string[];
  /**
   * Principals that edited it before it was last Verified, while account data of that time may still be in it. That
   * does not keep them from verifying it; they are makers of the orders that name it.
   */
  readonly editorsBeforeVerification: readonly string[];
  /** An archived counterparty is in no list by default, and no new order can name it. */
  readonly archivedAt: Date | null;
  readonly archivedBy: string | null;
  /** Counts changes from 1. */
  readonly version: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What an order copies from the counterparty that it names. */
export type CounterpartySnapshot = Pick<
  Counterparty,
  "id" | "book" | "name" | "accounts" | "verificationStatus"
> & {
  readonly archived: boolean;
  /** Everybody who entered details that are, or may be, still in it: they decide where money goes. */
  readonly makers: readonly string[];
  readonly openChanges: readonly OpenChange[];
};

/** A correction that its bank asks for, and that nobody has accepted or dismissed yet. */
export interface OpenChange {
  readonly id: ProposedChangeId;
  readonly rails: readonly Rail[];
  /** From then on, new orders on these rails wait for the decision. */
  readonly correctBy: string;
}

type Decrypt = (encrypted: EncryptedAccountNumber) => string;

const unverified = { verificationStatus: "Unverified", verifiedBy: null, verifiedAt: null } as const;

export function newCounterparty(
  id: CounterpartyId,
  book: BookId,
  details: CounterpartyDetails,
  by: { readonly principal: string; readonly now: Date },
): Counterparty {
  return {
    ...details,
    ...unverified,
    id,
    book,
    detailsEnteredBy: [by.principal],
    editorsBeforeVerification: [],
    archivedAt: null,
    archivedBy: null,
    version: 1,
    createdBy: by.principal,
    createdAt: by.now,
    updatedAt: by.now,
  };
}

/**
 * Replaces the details. A change of name, type or any account resets the verification; email, externalId and metadata
 * don't matter. A principal that made such a change since the counterparty was last Verified may not verify it, even if
 * somebody else edited it afterwards: their details may still be in it. Whoever entered an account stays among its
 * makers until none of its numbers is left, however often it is Verified.
 */
export function replaceDetails(
  counterparty: Counterparty,
  details: CounterpartyDetails,
  by: { readonly principal: string; readonly now: Date },
  decrypt: Decrypt,
): Counterparty {
  const replaced = { ...counterparty, ...details, version: counterparty.version + 1, updatedAt: by.now };
  if (hasSameVerifiedDetails(counterparty, details, decrypt)) return replaced;
  const { detailsEnteredBy, verificationStatus } = counterparty;
  const [editors, verifiedEditors] =
    verificationStatus === "Verified" ? [[], detailsEnteredBy] : [detailsEnteredBy, []];
  const earlier = [...new Set([...counterparty.editorsBeforeVerification, ...verifiedEditors])];
  return {
    ...replaced,
    ...unverified,
    detailsEnteredBy: [...new Set([...editors, by.principal])],
    editorsBeforeVerification: sharesAccountData(counterparty, details, decrypt) ? earlier : [],
  };
}

/** Whether an account number or a routing number of before is still in it, on whichever rail. */
function sharesAccountData(
  before: CounterpartyDetails,
  after: CounterpartyDetails,
  decrypt: Decrypt,
): boolean {
  const numbersOf = ({ accounts }: CounterpartyDetails) =>
    accounts.flatMap(({ accountNumber, routingNumber }) => [decrypt(accountNumber), routingNumber]);
  const kept = new Set(numbersOf(before));
  return numbersOf(after).some((number) => number !== "" && kept.has(number));
}

/**
 * Two ciphertexts of the same number differ, so the numbers are decrypted in memory and compared. An older name may not
 * be normalised.
 */
function hasSameVerifiedDetails(
  before: CounterpartyDetails,
  after: CounterpartyDetails,
  decrypt: Decrypt,
): boolean {
  const verifiedDetailsOf = ({ name, type, accounts }: CounterpartyDetails) =>
    JSON.stringify([
      normalizedName(name),
      type,
      accounts
        .map(({ rail, accountNumber, routingNumber, accountType }) => [
          rail,
          decrypt(accountNumber),
          routingNumber,
          accountType,
        ])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    ]);
  return verifiedDetailsOf(before) === verifiedDetailsOf(after);
}

/** In a Test book, verification fails for this account number. */
const failingNumber = "500000";

/**
 * Verifies a counterparty in the name of `by.principal`. A Test book decides at once: Failed if an account has the
 * number 500000, otherwise Verified. A counterparty that is already Verified stays as it is. Refusals:
 * `self_approval_not_allowed` if the principal entered details; `counterparty_account_missing` without an account;
 * `rail_not_configured` in a Live book, which has no provider: nothing live is ever simulated.
 */
export function verify(
  counterparty: Counterparty,
  by: { readonly principal: string; readonly now: Date },
  mode: Mode,
  decrypt: Decrypt,
): Counterparty {
  if (counterparty.detailsEnteredBy.some((editor) => isSamePrincipal(editor, by.principal))) {
    throw new Refusal(
      "self_approval_not_allowed",
      `${by.principal} entered these details, so another principal must verify the counterparty.`,
      { context: { resourceId: counterparty.id } },
    );
  }
  if (counterparty.accounts.length === 0) {
    throw new Refusal(
      "counterparty_account_missing",
      "The counterparty has no account to verify. Add one with PUT first.",
      { context: { resourceId: counterparty.id } },
    );
  }
  if (mode === "Live") {
    throw new Refusal(
      "rail_not_configured",
      "No account verification is configured in this Live book, and nothing live is ever simulated. Ask the operator to configure one, or use a test key.",
      { context: { resourceId: counterparty.id, mode } },
    );
  }
  if (counterparty.verificationStatus === "Verified") return counterparty;
  const changed = { ...counterparty, version: counterparty.version + 1, updatedAt: by.now };
  const fails = counterparty.accounts.some(({ accountNumber }) => decrypt(accountNumber) === failingNumber);
  return fails
    ? { ...changed, ...unverified, verificationStatus: "Failed" }
    : { ...changed, verificationStatus: "Verified", verifiedBy: by.principal, verifiedAt: by.now };
}

/** Keeps details and verification. One that is archived stays as it is. */
export function archive(
  counterparty: Counterparty,
  by: { readonly principal: string; readonly now: Date },
): Counterparty {
  if (counterparty.archivedAt !== null) return counterparty;
  const { now, principal } = by;
  return {
    ...counterparty,
    archivedAt: now,
    archivedBy: principal,
    version: counterparty.version + 1,
    updatedAt: now,
  };
}

/** One that is not archived stays as it is. */
export function restore(counterparty: Counterparty, now: Date): Counterparty {
  if (counterparty.archivedAt === null) return counterparty;
  const version = counterparty.version + 1;
  return { ...counterparty, archivedAt: null, archivedBy: null, version, updatedAt: now };
}

/** The counterparty as the API shows it, with account numbers masked to their last four. */
export function counterpartyView(counterparty: Counterparty): CounterpartyView {
  const { book: _book, editorsBeforeVerification: _editors, ...shown } = counterparty;
  return {
    ...shown,
    accounts: counterparty.accounts.map((account) => ({
      ...account,
      accountNumber: maskedAccountNumber(account.accountNumber.last4),
    })),
    metadata: { ...counterparty.metadata },
    detailsEnteredBy: [...counterparty.detailsEnteredBy],
    verifiedAt: counterparty.verifiedAt?.toISOString() ?? null,
    archivedAt: counterparty.archivedAt?.toISOString() ?? null,
    createdAt: counterparty.createdAt.toISOString(),
    updatedAt: counterparty.updatedAt.toISOString(),
  };
}

/**
 * Checks a counterparty's accounts: at most one per rail, each with numbers that the rail accepts. Refusals, for the
 * first fault only: `invalid_field`, `invalid_routing_number`, `invalid_wallet_address`.
 */
export function checkAccounts(
  accounts: readonly CounterpartyAccount[],
  decrypt: (encrypted: EncryptedAccountNumber) => string,
): void {
  accounts.forEach(({ rail, accountNumber, routingNumber, accountType }, index) => {
    if (accounts.findIndex((account) => account.rail === rail) < index) {
      refuseAccount(
        "invalid_field",
        index,
        "rail",
        `A counterparty has one account per rail, and ${rail} has one.`,
      );
    }
    const fault = accountFaultOf(rail, decrypt(accountNumber), routingNumber);
    if (fault !== null) refuseAccount(fault.code, index, fault.field, fault.message);
    if (accountType !== null && (accountType === "Wallet") !== (rail === "Usdc")) {
      const types = rail === "Usdc" ? "Wallet" : "Checking or Savings";
      refuseAccount(
        "invalid_field",
        index,
        "accountType",
        `An account on ${rail} is ${types}. Send that, or none.`,
      );
    }
  });
}

function refuseAccount(code: ErrorCode, index: number, field: string, detail: string): never {
  const pointer = `/accounts/${String(index)}/${field}`;
  throw new Refusal(code, detail, { errors: [{ pointer, code, message: detail }] });
}
