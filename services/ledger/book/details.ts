import { hash } from "node:crypto";

/** What the caller of a manual transaction sent besides its entries. */
export interface TransactionDetails {
  readonly description: string;
  readonly basis: string;
  readonly externalId: string | null;
  readonly createdBy: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What the bank reported of an inbound payment besides the account. */
export interface InboundDetails {
  readonly bankReference: string;
  readonly rail: string;
  readonly direction: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly originatorName: string;
  readonly accountNumberLast4: string;
  /** The order whose money it brings back. */
  readonly returnsPaymentOrderId?: string | null;
  /** Of an unmatched return. */
  readonly unmatchedReturn?: { readonly code: string; readonly originalTraceNumber: string } | null;
}

// A journal's digest of version 2 covers these, so the proof finds a change of the rows that describe it. Each text is
// JSON on a line of its own, so no two different ones have the same digest. Keys are sorted: Postgres keeps no order.

export function digestOfTransaction({
  description,
  basis,
  externalId,
  createdBy,
  metadata,
}: TransactionDetails): string {
  const keys = Object.keys(metadata).sort();
  return digestOfTexts([
    "transaction",
    description,
    basis,
    externalId,
    createdBy,
    ...keys.flatMap((key) => [key, metadata[key] ?? null]),
  ]);
}

export function digestOfInbound(details: InboundDetails): string {
  const { bankReference, rail, direction, amountCents, currency, originatorName, accountNumberLast4 } =
    details;
  const { returnsPaymentOrderId, unmatchedReturn } = details;
  const moved = [direction, String(amountCents), currency];
  return digestOfTexts([
    unmatchedReturn ? "unmatched return" : "inbound",
    bankReference,
    rail,
    ...moved,
    originatorName,
    accountNumberLast4,
    ...(returnsPaymentOrderId ? [returnsPaymentOrderId] : []),
    ...(unmatchedReturn ? [unmatchedReturn.code, unmatchedReturn.originalTraceNumber] : []),
  ]);
}

/** The description of a journal that continues a transaction, such as a reversal's. */
export function digestOfNote(description: string): string {
  return digestOfTexts(["note", description]);
}

/** Half of a surrogate pair is stored as U+FFFD, so that is what is digested. */
function digestOfTexts(texts: readonly (string | null)[]): string {
  const lines = texts.map((text) => JSON.stringify(text?.toWellFormed() ?? null));
  return hash("sha256", ["quittance.ledger.details.v1", ...lines].join("\n"), "hex");
}
