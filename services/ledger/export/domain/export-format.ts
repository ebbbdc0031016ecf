import type { BookId, LedgerAccountId, Mode } from "../../../../contracts/ids/ids.ts";
import type { ExportedJournal } from "../../audit/domain/journal-json.ts";
import type { AccountClass, Side } from "../../book/account.ts";

/**
 * An export is one JSON record per line, in this order: the book, its accounts, every journal (the last of a batch with
 * its checkpoint), the balances, the class totals, the end. A change of the format needs a new version. Version 1 had
 * neither the positions of accounts nor versions of digests; its files still verify.
 */
export const exportFormat = "quittance.ledger.export.v2";
export const knownFormats = ["quittance.ledger.export.v1", exportFormat] as const;

export interface BookRecord {
  readonly record: "book";
  readonly format: (typeof knownFormats)[number];
  readonly book: BookId;
  /** The stored id, whose hash starts the hash chain. */
  readonly uuid: string;
  readonly mode: Mode;
  readonly exportedAt: string;
  readonly lastSequence: number;
  readonly headHash: string;
  /** The chain of the accounts; not in version 1. */
  readonly accountsHead?: string;
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
  /** In the order in which the accounts were made; not in version 1. */
  readonly position?: number;
}

export type JournalRecord = { readonly record: "journal" } & ExportedJournal;

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
