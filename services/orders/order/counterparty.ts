import { Refusal } from "../../../contracts/errors.ts";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import type { BookId, CounterpartyId, Mode } from "../../../contracts/ids/ids.ts";
import type { Rail, EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";

/** An account on one rail. Book is none of these: its accounts are the book's own. */
export interface CounterpartyAccount {
  readonly rail: Exclude<Rail, "Book">;
  readonly accountNumber: EncryptedAccountNumber;
  readonly routingNumber: string;
  readonly accountType: CounterpartyView["accounts"][number]["accountType"];
}

/** What its owner writes down; PUT replaces all of it. */
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
  /** Every principal that entered or edited whom it pays since it was last Verified: none of them may verify it. */
  readonly detailsEnteredBy: readonly string[];
  /** Counts changes from 1. */
  readonly version: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What an order copies from the counterparty that it names. */
export type Payee = Pick<Counterparty, "id" | "book" | "name" | "accounts" | "verificationStatus">;

type Open = (sealed: EncryptedAccountNumber) => string;

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
    version: 1,
    createdBy: by.principal,
    createdAt: by.now,
    updatedAt: by.now,
  };
}

/**
 * Replaces what its owner wrote down. Whoever changes whom it pays (name, type, or any account) takes the verification
 * back and may not give it again; email, externalId and metadata change nothing of that. What was never Verified keeps
 * its earlier editors: their details may still be in it.
 */
export function replaceDetails(
  counterparty: Counterparty,
  details: CounterpartyDetails,
  by: { readonly principal: string; readonly now: Date },
  open: Open,
): Counterparty {
  const replaced = { ...counterparty, ...details, version: counterparty.version + 1, updatedAt: by.now };
  if (paysTheSame(counterparty, details, open)) return replaced;
  const editors = counterparty.verificationStatus === "Verified" ? [] : counterparty.detailsEnteredBy;
  return { ...replaced, ...unverified, detailsEnteredBy: [...new Set([...editors, by.principal])] };
}

/** Seals of the same number differ, so the numbers are compared open, in memory. */
function paysTheSame(before: CounterpartyDetails, after: CounterpartyDetails, open: Open): boolean {
  const whom = ({ name, type, accounts }: CounterpartyDetails) =>
    JSON.stringify([
      name,
      type,
      accounts
        .map(({ rail, accountNumber, routingNumber, accountType }) => [
          rail,
          open(accountNumber),
          routingNumber,
          accountType,
        ])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    ]);
  return whom(before) === whom(after);
}

/** The account number that a Test book's verification fails for. */
const failingNumber = "500000";

/**
 * Verifies it in the name of `principal`. A Test book answers at once: Failed for account number 500000, else
 * Verified. What is Verified already stays as it is.
 * @throws Refusal `self_approval_not_allowed` (an editor's own), `counterparty_account_missing` (nothing to verify),
 * `rail_not_configured` (a Live book: there is no provider, and nothing live is ever simulated).
 */
export function verify(
  counterparty: Counterparty,
  by: { readonly principal: string; readonly now: Date },
  mode: Mode,
  open: Open,
): Counterparty {
  if (counterparty.detailsEnteredBy.includes(by.principal)) {
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
  const fails = counterparty.accounts.some(({ accountNumber }) => open(accountNumber) === failingNumber);
  return fails
    ? { ...changed, ...unverified, verificationStatus: "Failed" }
    : { ...changed, verificationStatus: "Verified", verifiedBy: by.principal, verifiedAt: by.now };
}

/** As its tenant sees it: account numbers only by their last four. */
export function counterpartyView(counterparty: Counterparty): CounterpartyView {
  const { book: _book, detailsEnteredBy: _editors, ...shown } = counterparty;
  return {
    ...shown,
    accounts: counterparty.accounts.map((account) => ({
      ...account,
      accountNumber: `****${account.accountNumber.last4}`,
    })),
    metadata: { ...counterparty.metadata },
    verifiedAt: counterparty.verifiedAt?.toISOString() ?? null,
    createdAt: counterparty.createdAt.toISOString(),
    updatedAt: counterparty.updatedAt.toISOString(),
  };
}
