import { crc32 } from "node:zlib";
import type { LedgerJournal } from "../../../contracts/http/ledger-proof.ts";
import type { BookId, LedgerAccountId, Mode } from "../../../contracts/ids.ts";
import type { AccountClass, Side } from "./account.ts";

/**
 * An export: one record a line, JSON, in this order: the book, its accounts, every journal (with the seal that ends its
 * batch), the balances, the class totals, the end. A change of form is another version.
 */
export const exportFormat = "quittance.ledger.export.v1";

export interface BookRecord {
  readonly record: "book";
  readonly format: typeof exportFormat;
  readonly book: BookId;
  /** The book's stored form: the chain begins with its hash. */
  readonly uuid: string;
  readonly mode: Mode;
  readonly exportedAt: string;
  readonly lastSequence: number;
  readonly headHash: string;
}

interface OfAccount {
  readonly ledgerAccountId: LedgerAccountId;
}
interface OfClass {
  readonly class: AccountClass;
  readonly normalBalance: Side;
  readonly currency: string;
}

export interface AccountRecord extends OfAccount, OfClass {
  readonly record: "account";
  readonly name: string;
}

export type JournalRecord = { readonly record: "journal" } & LedgerJournal;

export interface BalanceRecord extends OfAccount {
  readonly record: "balance";
  readonly version: number;
  readonly lastSequence: number;
  /** Held debit, held credit, released debit, released credit, posted debit, posted credit; in cents. */
  readonly totals: readonly string[];
}

export interface ClassTotalRecord extends OfClass {
  readonly record: "classTotal";
  readonly totals: readonly string[];
}

/** `lines` counts all of them, this one too. */
export interface EndRecord {
  readonly record: "end";
  readonly lines: number;
}

export type ExportRecord =
  | BookRecord
  | AccountRecord
  | JournalRecord
  | BalanceRecord
  | ClassTotalRecord
  | EndRecord;

/** `,"crc":"0123abcd"}`: what every line ends with. */
const sumBytes = 18;
const newline = Buffer.from("\n");

/**
 * Every line ends with the CRC-32 of all bytes of the file before that member. Digests and the chain say what the books
 * mean; this only says that no byte has changed, names and blanks too, and on which line the first one is.
 */
export class LineSum {
  #sum = 0;

  /** The record's line, newline included. */
  lineOf(record: ExportRecord): string {
    const body = JSON.stringify(record).slice(0, -1);
    this.#sum = crc32(body, this.#sum);
    const end = `,"crc":"${hex(this.#sum)}"}`;
    this.#sum = crc32(`${end}\n`, this.#sum);
    return `${body}${end}\n`;
  }

  /** True when a line (without its newline) is as it was written. */
  fits(line: Buffer): boolean {
    const body = line.subarray(0, Math.max(0, line.length - sumBytes));
    const end = line.subarray(body.length);
    this.#sum = crc32(body, this.#sum);
    const fits = end.toString("latin1") === `,"crc":"${hex(this.#sum)}"}`;
    this.#sum = crc32(newline, crc32(end, this.#sum));
    return fits;
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
