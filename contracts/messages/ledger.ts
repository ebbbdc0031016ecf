import { z } from "zod";
import {
  balanceHistory,
  balanceHistoryQuery,
  ledgerAccountJournalPage,
  ledgerAccountJournalQuery,
} from "../http/ledger/account-history.ts";
import {
  balances,
  balancesQuery,
  ledgerAccount,
  ledgerAccountCreate,
  ledgerAccountMoment,
  ledgerAccountPage,
  ledgerAccountPatch,
  ledgerAccountQuery,
  ledgerEntryPage,
  ledgerEntryQuery,
} from "../http/ledger/ledger-accounts.ts";
import { statement, statementQuery } from "../http/ledger/statements.ts";
import { paymentReturn } from "../http/payments/payment-order-parts.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { command, event, request } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { mode, orderDirection } from "../rails/rails.ts";

/**
 * The steps of an order's ledger transaction. `commandId` is UUIDv5(order id, step): a command that is sent again is
 * the same command, and the ledger answers with the stored outcome.
 */
const orderStep = { commandId: z.uuid(), orderId: idSchema("po") };
/** The book's owner. The first hold of a book may create it, with its chart of accounts. */
const bookOwner = { tenantId: idSchema("ten"), mode };

const holdTerms = { direction: orderDirection, amountCents, currency, ledgerAccountId: idSchema("la") };
/** The contra account: the bank, the wallet, or for Book the counterparty's account in the same book. */
const contras = [
  z.object({ kind: z.literal("SettlementCash") }),
  z.object({ kind: z.literal("StablecoinWallet") }),
  z.object({ kind: z.literal("LedgerAccount"), ledgerAccountId: idSchema("la") }),
] as const;

/** Places a hold on an order's money. The ledger derives the balanced entries. */
export const PlaceHold = command(
  "ledger",
  "place-hold",
  z.object({
    ...orderStep,
    ...bookOwner,
    ...holdTerms,
    contra: z.discriminatedUnion("kind", [
      ...contras,
      /** A remittance: the ledger derives all four entries, and refuses an order that it did not choose. */
      z.object({ kind: z.literal("Obligation"), obligationId: idSchema("ob") }),
    ]),
    effectiveAt: timestamp,
  }),
);

/** Settles an order's hold: its entries become posted. */
export const SettleHold = command(
  "ledger",
  "settle-hold",
  z.object({ ...orderStep, effectiveAt: timestamp }),
);

/** Releases an order's hold. */
export const ReleaseHold = command(
  "ledger",
  "release-hold",
  z.object({
    ...orderStep,
    effectiveAt: timestamp,
    /**
     * The bank says that it did not pay the order. If the receiver has sent the money back, the bank must have paid:
     * the ledger then keeps the hold, and answers with `SentBackPosted` instead of `HoldReleased`.
     */
    unpaid: z.literal(true).optional(),
    /** The reason. Set for an order that pays an obligation. */
    cause: z.enum(["Failed", "Returned", "Cancelled"]).optional(),
    return: paymentReturn.optional(),
  }),
);

/** Reverses a settled order that the bank returned after completion. */
export const PostLateReturn = command(
  "ledger",
  "post-late-return",
  z.object({
    ...orderStep,
    returnId: idSchema("ret"),
    effectiveAt: timestamp,
    /** Set for an order that pays an obligation. */
    return: paymentReturn.optional(),
  }),
);

/**
 * Books an unexpected movement to Suspense: the bank moved money for an order that had already ended. It settled after
 * all although it had failed, or it was returned a second time. The posting is a transaction of its own that names the
 * order, and the ledger never refuses it. The ledger derives the entries from the order's `direction` and `contra`, so
 * that orders never names an account for it.
 */
export const PostToSuspense = command(
  "ledger",
  "post-to-suspense",
  z.object({
    ...orderStep,
    transactionId: idSchema("lt"),
    /** Settlement moves money as the order would have; Return moves it the other way. */
    movement: z.enum(["Settlement", "Return"]),
    direction: orderDirection,
    amountCents,
    currency,
    contra: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("SettlementCash") }),
      z.object({ kind: z.literal("StablecoinWallet") }),
    ]),
    effectiveAt: timestamp,
  }),
);

/** The journal that the ledger wrote. */
const posted = {
  commandId: z.uuid(),
  transactionId: idSchema("lt"),
  /** The journal's gap-free number in its book. */
  sequence: z.int(),
};

/** The hold that orders asked for is placed: the amount is no longer available, and not yet posted. */
export const HoldPlaced = event("ledger", "hold-placed", z.object({ ...posted, orderId: idSchema("po") }));
/**
 * The ledger places no hold for the order, and wrote nothing. `code` and `detail` are the problem that the tenant sees,
 * such as `insufficient_funds`.
 */
export const HoldRefused = event(
  "ledger",
  "hold-refused",
  z.object({ commandId: z.uuid(), code: z.string(), detail: z.string(), orderId: idSchema("po") }),
);
/** The hold has become posted entries. */
export const HoldSettled = event("ledger", "hold-settled", z.object({ ...posted, orderId: idSchema("po") }));
/** The hold has ended without posted entries: the amount is available again. */
export const HoldReleased = event(
  "ledger",
  "hold-released",
  z.object({ ...posted, orderId: idSchema("po") }),
);
/** A payment that was returned after its completion is reversed in the books. */
export const LateReturnPosted = event(
  "ledger",
  "late-return-posted",
  z.object({ ...posted, orderId: idSchema("po"), returnId: idSchema("ret") }),
);
/**
 * An unexpected movement of the bank is booked to Suspense. No tenant can assign it: an operator resolves it
 * (docs/operate/orders.md).
 */
export const SuspensePosted = event(
  "ledger",
  "suspense-posted",
  z.object({ ...posted, orderId: idSchema("po") }),
);

export const CreateLedgerAccount = request("ledger", "create-account", ledgerAccountCreate, ledgerAccount);
export const ListLedgerAccounts = request("ledger", "list-accounts", ledgerAccountQuery, ledgerAccountPage);
export const GetLedgerAccount = request(
  "ledger",
  "get-account",
  z.object({ id: z.string(), ...ledgerAccountMoment.shape }),
  ledgerAccount,
);
export const UpdateLedgerAccount = request(
  "ledger",
  "update-account",
  z.object({ id: z.string(), patch: ledgerAccountPatch }),
  ledgerAccount,
);
export const CloseLedgerAccount = request(
  "ledger",
  "close-account",
  z.object({ id: z.string() }),
  ledgerAccount,
);
export const ListLedgerEntries = request(
  "ledger",
  "list-entries",
  z.object({ ledgerAccountId: z.string(), query: ledgerEntryQuery }),
  ledgerEntryPage,
);
/** A page of a statement; longer ones than over HTTP, because the gateway makes a CSV file of several. */
export const GetStatement = request(
  "ledger",
  "get-statement",
  z.object({
    ledgerAccountId: z.string(),
    query: statementQuery.extend({ limit: z.int().min(1).max(1000) }),
  }),
  statement,
);
/** What each journal did to an account, newest first. */
export const ListAccountJournals = request(
  "ledger",
  "list-account-journals",
  z.object({ ledgerAccountId: z.string(), query: ledgerAccountJournalQuery }),
  ledgerAccountJournalPage,
);
/** An account's balances at the ends of equal intervals. */
export const GetBalanceHistory = request(
  "ledger",
  "get-balance-history",
  z.object({ ledgerAccountId: z.string(), query: balanceHistoryQuery }),
  balanceHistory,
);
export const GetBalances = request("ledger", "get-balances", balancesQuery, balances);

/** Asks whether such a hold would be placed now, for a preview. Refused with the code that `HoldRefused` would have. */
export const CheckHold = request(
  "ledger",
  "check-hold",
  z.object({ ...holdTerms, contra: z.discriminatedUnion("kind", contras) }),
  z.object({}),
);

/**
 * An account by its name or its id, or (as Either) by the number of an Active virtual account that leads to it. Names
 * and ids never change, so that answer may be cached without expiry; a number may be closed (`byNumber`). Closure of
 * the account itself is decided when the hold is placed. Refused: ledger_account_not_found.
 */
export const ResolveLedgerAccount = request(
  "ledger",
  "resolve-account",
  z.object({ nameOrId: z.string(), as: z.enum(["Id", "Name", "Either"]) }),
  z.object({
    ledgerAccountId: idSchema("la"),
    name: z.string(),
    currency,
    normalBalance: z.enum(["Credit", "Debit"]),
    /** Chart accounts are the service's own; orders refuses them. */
    system: z.boolean(),
    byNumber: z.boolean().default(false),
  }),
);
