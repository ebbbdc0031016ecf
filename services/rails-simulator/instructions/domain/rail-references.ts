import { createHash } from "node:crypto";
import type { PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import { settlementDateOf } from "../../../../contracts/rails/banking-calendar.ts";
import type { Rail, RailReference } from "../../../../contracts/rails/rails.ts";

// Routing prefix 79 is unassigned, so no trace number of the sandbox equals a real one. The hash fills 11 digits: the
// sequence, and four digits of the bank's number. Seven would collide too soon.
const originatingBank = "7910";
const receivingBank = "7920";

function hashOf(...parts: readonly string[]): Buffer {
  return createHash("sha256").update(parts.join("/")).digest();
}

function digits(hash: Buffer, length: number): string {
  return (hash.readBigUInt64BE() % 10n ** BigInt(length)).toString().padStart(length, "0");
}

/**
 * The rail's reference of a payment, always the same for the same arguments: an ACH trace number (ODFI 8 + sequence
 * 7), a wire's IMAD (date, source of 8, sequence of 6), RTP's end-to-end id, a transaction hash.
 * @param payment a unique id, such as the order id.
 * @param at the hand-off. An IMAD begins with its Fedwire business day, which starts the evening before.
 */
export function railReferenceOf(rail: Rail, payment: string, at: Date): RailReference {
  const hash = hashOf(payment, rail);
  switch (rail) {
    case "Ach":
    case "SameDayAch":
      return { traceNumber: originatingBank + digits(hash, 11) };
    case "Wire": {
      const source = `QTSIM${hash.toString("hex", 8, 10).slice(0, 3).toUpperCase()}`;
      const businessDay = settlementDateOf("Wire", at).replaceAll("-", "");
      return { imad: `${businessDay}${source}${digits(hash, 6)}` };
    }
    case "Rtp":
      return { endToEndId: hash.toString("hex", 0, 16).toUpperCase() };
    case "Usdc":
      return { txHash: `0x${hash.toString("hex")}` };
    case "Book":
      return {};
  }
}

/** The trace number of a return. The same return has the same trace number; a repetition has one of its own. */
export function returnTraceOf(orderId: PaymentOrderId, code: string, repetition = 0): string {
  const again = repetition === 0 ? [] : [String(repetition)];
  return receivingBank + digits(hashOf(orderId, "return", code, ...again), 11);
}

/** The trace number of an unmatched return. The same chance gives the same one. */
export function unmatchedTraceOf(chance: string, code: string): string {
  return receivingBank + digits(hashOf(chance, "unmatched-return", code), 11);
}

/** The trace number of the entry that such a return returns. */
export function originalTraceOf(unmatchedTrace: string): string {
  return originatingBank + digits(hashOf(unmatchedTrace, "original"), 11);
}

/** The reference as a bank statement prints it. */
export function referenceText(reference: RailReference): string {
  return reference.traceNumber ?? reference.imad ?? reference.endToEndId ?? reference.txHash ?? "";
}
