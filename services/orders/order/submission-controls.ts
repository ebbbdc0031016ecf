import { type ErrorCode, Refusal } from "../../../contracts/errors.ts";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { railLimit } from "../../../contracts/rails/rail-rules.ts";
import type { Mode } from "../../../contracts/ids/ids.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { rejectImpossibleScenario } from "../../../contracts/rails/magic-numbers.ts";
import { accountFaultOf, sendNetwork } from "./account-format.ts";
import type { ApprovalPolicy } from "./approval-policy.ts";
import type { OrderTerms } from "./payment-order.ts";
import { descriptorFaultOf, nameFaultOf } from "./rail-text.ts";

/** Throws a refusal of one field, with the pointer that a form can show. */
function refuse(
  code: ErrorCode,
  field: string,
  detail: string,
  context: Record<string, unknown> = {},
): never {
  throw new Refusal(code, detail, { errors: [{ pointer: `/${field}`, code, message: detail }], context });
}

/**
 * A book that the ledger has frozen takes no orders: they would only wait. Refusals: `service_unavailable`, which is
 * retryable.
 */
export function checkBookOpen({ bookFrozen }: { readonly bookFrozen: boolean }): void {
  if (!bookFrozen) return;
  throw new Refusal(
    "service_unavailable",
    "This book is frozen: it can be read, but takes no payment orders for now. Send the request again later, with the same Idempotency-Key.",
    { context: { bookFrozen: true } },
  );
}

/**
 * Checks an order at submission, before any money is held: its basis, its effective date and the rules of its rail.
 * `accountNumber` is the decrypted account number of the counterparty, null for Book. Refusals: that of the
 * first fault.
 */
export function checkSubmission(
  terms: OrderTerms,
  accountNumber: string | null,
  mode: Mode,
  now: Date,
): void {
  checkBasis(terms);
  checkEffectiveDate(terms, now);
  checkRail(terms, now);
  if (terms.rail === "Book") {
    if (terms.counterpartyLedgerAccountId === terms.ledgerAccountId) {
      refuse(
        "same_account",
        "counterpartyAccountNumber",
        "Name another account of the book as the counterparty's.",
      );
    }
    return;
  }
  const routingNumber = checkCounterparty(terms, accountNumber);
  checkTexts(terms);
  checkAccount(terms.rail, accountNumber ?? "", routingNumber);
  if (mode === "Live") {
    throw new Refusal(
      "rail_not_configured",
      `No adapter for ${terms.rail} is configured in this Live book, and nothing live is ever simulated. Ask the operator to configure one, or use a test key.`,
      { context: { rail: terms.rail, mode } },
    );
  }
  rejectImpossibleScenario(accountNumber ?? "", terms.rail, terms.direction);
}

/**
 * If the policy requires verified counterparties, inline details are refused. A book transfer has no counterparty,
 * because the money stays in the book. Refusals: `counterparty_unverified`.
 */
export function checkCounterpartyPolicy(
  { rail, counterpartyId }: OrderTerms,
  { requireVerifiedCounterparty }: ApprovalPolicy,
): void {
  if (!requireVerifiedCounterparty || rail === "Book" || counterpartyId !== null) return;
  refuse(
    "counterparty_unverified",
    "counterpartyId",
    "The approval policy of this book accepts verified counterparties only. Create this one, have it verified, and send its counterpartyId.",
  );
}

/** An order with a provisional amount never moves money. */
function checkBasis(terms: OrderTerms): void {
  const figure = `amountCents (${String(terms.amountCents)})`;
  if (terms.basis === "Demo") {
    refuse(
      "basis_is_demo_data",
      "basis",
      `${figure} comes from demo data. Create the order with the actual amount, or PATCH the Draft.`,
    );
  }
  if (terms.basis === "Missing") {
    refuse(
      "basis_missing_input",
      "basis",
      `${figure} is missing an input. Once the actual amount is known, create the order with it, or PATCH the Draft.`,
    );
  }
}

const maxAheadMs = 366 * 24 * 3_600_000;

function checkEffectiveDate({ effectiveDate }: OrderTerms, now: Date): void {
  if (effectiveDate === null) return;
  const today = newYorkDate(now);
  const last = newYorkDate(new Date(now.getTime() + maxAheadMs));
  if (effectiveDate >= today && effectiveDate <= last) return;
  refuse(
    "effective_date_invalid",
    "effectiveDate",
    `Send a date from ${today}, today in New York, to ${last}.`,
  );
}

function checkRail(terms: OrderTerms, now: Date): void {
  const limit = railLimit(terms.rail, terms.direction, newYorkDate(now));
  if (limit === null) {
    refuse(
      "direction_not_supported",
      "direction",
      `${terms.rail} carries Credits only. Collect by Ach or SameDayAch.`,
      {
        rail: terms.rail,
      },
    );
  }
  if (terms.amountCents > limit.maxAmountCents) {
    refuse(
      "amount_above_rail_limit",
      "amountCents",
      `${terms.rail} carries at most ${String(limit.maxAmountCents)} cents. Send less, or use a rail that carries more.`,
      { rail: terms.rail, limitCents: limit.maxAmountCents },
    );
  }
}

function checkCounterparty(terms: OrderTerms, accountNumber: string | null): string {
  const isWallet = terms.rail === "Usdc";
  if (accountNumber === null) {
    refuse(
      "counterparty_account_missing",
      "counterpartyAccountNumber",
      isWallet ? "Send the wallet address." : "Send the counterparty's account number.",
    );
  }
  if (terms.counterpartyName === null) {
    refuse(
      "counterparty_account_missing",
      "counterpartyName",
      "Send the name that the counterparty's account is held in.",
    );
  }
  if (terms.counterpartyRoutingNumber === null) {
    refuse(
      "counterparty_account_missing",
      "counterpartyRoutingNumber",
      isWallet ? sendNetwork : "Send the routing number of the counterparty's bank.",
    );
  }
  return terms.counterpartyRoutingNumber;
}

/** What the rail would cut off or refuse later, after the money is held. */
function checkTexts({ rail, counterpartyId, counterpartyName, statementDescriptor }: OrderTerms): void {
  const ofName = nameFaultOf(rail, counterpartyName ?? "");
  if (ofName !== null) {
    const field = counterpartyId === null ? "counterpartyName" : "counterpartyId";
    refuse("text_not_supported", field, ofName, { rail });
  }
  const ofDescriptor = descriptorFaultOf(rail, statementDescriptor ?? "");
  if (ofDescriptor !== null) refuse("text_not_supported", "statementDescriptor", ofDescriptor, { rail });
}

const orderFields = {
  accountNumber: "counterpartyAccountNumber",
  routingNumber: "counterpartyRoutingNumber",
} as const;

function checkAccount(rail: Exclude<Rail, "Book">, accountNumber: string, routingNumber: string): void {
  const fault = accountFaultOf(rail, accountNumber, routingNumber);
  if (fault !== null) refuse(fault.code, orderFields[fault.field], fault.message);
}
