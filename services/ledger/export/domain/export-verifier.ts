import { type BookId, type LedgerAccountId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { zeroCounters } from "../../book/account.ts";
import { accountsHeadAfter, firstAccountsHead, firstHead } from "../../book/canonical.ts";
import { HashChainVerifier, emptyChain, originOf } from "../../audit/domain/hash-chain.ts";
import type { Violation } from "../../book/violation.ts";
import {
  type AccountRecord,
  type BalanceRecord,
  type BookRecord,
  type ClassTotalRecord,
  type EndRecord,
  exportFormat,
  knownFormats,
  type ExportRecord,
  type JournalRecord,
} from "./export-format.ts";
import { classKey, BalanceReplay, type ReplayedAccount } from "../../audit/domain/replay.ts";
import { countersIn, fromRecord } from "../../audit/domain/journal-json.ts";
import { type ClassTotal, equationViolation, accountingEquation } from "../../book/accounting-equation.ts";
import { JournalIndex } from "./journal-index.ts";

/** The first violation in a file. */
export interface FileViolation extends Violation {
  /** Counted from 1. */
  readonly line: number;
}

/** What a file without violations proves. */
export interface ProvenFile {
  readonly book: BookId;
  readonly exportedAt: string;
  readonly journals: number;
  readonly entries: number;
  readonly head: string;
}

/** The record types, in their order. The first and the last occur once, the others any number of times. */
const order = ["book", "account", "journal", "balance", "classTotal", "end"] as const;

/**
 * Verifies an export line by line, with nothing but the file: digests, hash chain, checkpoints with their totals, exact
 * and single resolutions, no gap, running totals, trial balance, balances, class totals, the accounting equation, and
 * that no byte was changed. Memory: 14 bytes per entry, and the ids of each journal. Stop at the first violation.
 */
export class ExportVerifier {
  readonly #accounts = new Map<LedgerAccountId, ReplayedAccount>();
  readonly #made: AccountRecord[] = [];
  readonly #replay = new BalanceReplay(this.#accounts);
  readonly #journals = new JournalIndex();
  readonly #withoutBalance = new Set<LedgerAccountId>();
  readonly #classes = new Map<string, ClassTotal>();
  #chain: HashChainVerifier | undefined;
  #header: BookRecord | undefined;
  #stage = 0;
  #lines = 0;
  #entries = 0;

  /** Verifies the next line. `isAsWritten` is true if its checksum fits. */
  verifyLine(text: string, isAsWritten: boolean): FileViolation | null {
    this.#lines += 1;
    const violation = this.#verifyText(text) ?? (isAsWritten ? null : changed);
    return violation === null ? null : { ...violation, line: this.#lines };
  }

  /** Whether the last record was read. A file that ends earlier, or continues after it, is not complete. */
  get ended(): boolean {
    return this.#stage === order.length;
  }

  get proven(): ProvenFile {
    const header = this.#header;
    if (header === undefined || !this.ended) throw new TypeError("the file was not read to its end");
    const { book, exportedAt, lastSequence: journals, headHash: head } = header;
    return { book, exportedAt, journals, entries: this.#entries, head };
  }

  #verifyText(text: string): Violation | null {
    try {
      return this.#verifyRecord(JSON.parse(text) as ExportRecord);
    } catch (error) {
      // Not JSON, or a member of its record type is missing.
      if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
        return notARecord;
      throw error;
    }
  }

  #verifyRecord(record: ExportRecord): Violation | null {
    const stage = order.indexOf(record.record);
    const first = this.#stage === 0;
    if (stage < this.#stage || this.ended || first !== (record.record === "book"))
      return outOfOrder(record.record);
    this.#stage = stage === 0 || record.record === "end" ? stage + 1 : stage;
    switch (record.record) {
      case "book":
        return this.#book(record);
      case "account":
        return this.#account(record);
      case "journal":
        return this.#journal(record);
      case "balance":
        return this.#balance(record);
      case "classTotal":
        return this.#classTotal(record);
      case "end":
        return this.#end(record);
    }
  }

  #book(record: BookRecord): Violation | null {
    if (!knownFormats.includes(record.format) || record.uuid !== uuidOf(record.book)) {
      return { check: "the file is an export of a book", detail: `its format must be ${exportFormat}` };
    }
    this.#header = record;
    this.#chain = new HashChainVerifier(emptyChain(firstHead(record.uuid)));
    return null;
  }

  #account(record: AccountRecord): Violation | null {
    const { ledgerAccountId: id, class: accountClass, normalBalance, currency } = record;
    this.#made.push(record);
    if (this.#accounts.has(id)) return { check: "every account occurs once", detail: `account ${id}` };
    const untouched = { version: 0, lastSequence: 0, counters: zeroCounters };
    this.#accounts.set(id, { class: accountClass, normalBalance, currency, ...untouched });
    this.#withoutBalance.add(id);
    return null;
  }

  #journal(record: JournalRecord): Violation | null {
    const { chain, header } = this.#started();
    const recorded = fromRecord(record, header.book);
    const { journal, checkpoint } = recorded;
    const from = originOf(journal);
    this.#entries += journal.entries.length;
    return (
      chain.step(journal, recorded, from === null ? null : this.#journals.origin(from)) ??
      this.#journals.add(journal) ??
      this.#replay.step(journal) ??
      (checkpoint === null
        ? null
        : (chain.verifyCheckpoint(checkpoint) ??
          this.#replay.verifyCheckpoint(journal.sequence, checkpoint.classes)))
    );
  }

  #balance({ ledgerAccountId: id, version, lastSequence, totals }: BalanceRecord): Violation | null {
    if (!this.#withoutBalance.delete(id))
      return { check: "every account has one balance", detail: `account ${id}` };
    return this.#replay.verifyBalance(id, { version, lastSequence, counters: countersIn(totals) });
  }

  #classTotal({ class: accountClass, normalBalance, currency, totals }: ClassTotalRecord): Violation | null {
    const total = { class: accountClass, normalBalance, currency, counters: countersIn(totals) };
    this.#classes.set(classKey(total), total);
    return this.#replay.verifyClassTotal(total);
  }

  #end(record: EndRecord): Violation | null {
    const { chain, header } = this.#started();
    const [missing] = this.#withoutBalance;
    if (missing !== undefined)
      return { check: "every account has one balance", detail: `account ${missing}` };
    const absent = this.#replay.classes().find((total) => !this.#classes.has(classKey(total)));
    if (absent !== undefined) {
      return {
        check: "class totals are the sums of their accounts",
        detail: `${classKey(absent)} is missing`,
      };
    }
    if (record.lines !== this.#lines) {
      return {
        check: "the file is complete",
        detail: `the file has ${this.#lines} lines, and ${record.lines} were written`,
      };
    }
    return (
      chain.verifyHead({ lastSequence: header.lastSequence, head: header.headHash }) ??
      this.#verifyAccountsHead(header) ??
      equationViolation(accountingEquation([...this.#classes.values()]))
    );
  }

  /** The accounts as they were made, one after the other. Files of version 1 have no chain of them. */
  #verifyAccountsHead({ uuid: bookUuid, accountsHead, format }: BookRecord): Violation | null {
    if (format !== exportFormat) return null;
    let head = firstAccountsHead(bookUuid);
    this.#made.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
    for (const [index, { ledgerAccountId, ...account }] of this.#made.entries()) {
      const position = index + 1;
      head = accountsHeadAfter(head, {
        ...account,
        bookUuid,
        position,
        accountUuid: uuidOf(ledgerAccountId),
      });
    }
    if (head === accountsHead) return null;
    return { check: "every account is as it was made", detail: "the accounts have another head" };
  }

  #started(): { chain: HashChainVerifier; header: BookRecord } {
    if (this.#chain === undefined || this.#header === undefined)
      throw new TypeError("the file does not begin with its book");
    return { chain: this.#chain, header: this.#header };
  }
}

const changed: Violation = {
  check: "no byte was changed",
  detail:
    "the checksum of this line differs although no figure does: a name, white space or the checksum itself was changed",
};
const notARecord: Violation = { check: "every line is a record", detail: "this line can't be read" };

function outOfOrder(record: unknown): Violation {
  return { check: "records are in order", detail: `a ${JSON.stringify(record)} record is not allowed here` };
}
