import type { LedgerJournal } from "../../../../contracts/http/ledger/ledger-proof.ts";
import type { BookId, LedgerAccountId, Mode } from "../../../../contracts/ids/ids.ts";
import type { AccountClass, Side } from "../../book/account.ts";

/**
 * An export is one JSON record per line, in this order: the book, its accounts, every journal (the last of a batch with
 * its checkpoint), the balances, the class totals, the end. A change of the format needs a new version.
 */
export const exportFormat = "quittance.ledger.export.v1";

export interface BookRecord {
  readonly record: "book";
  readonly format: typeof exportFormat;
  readonly book: BookId;
  /** The stored id, whose hash starts the hash chain. */
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

/** `lines` counts all lines, this one included. */
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
