import type { LedgerAccountId, LedgerTransactionId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import { type Origin, originOf } from "../../audit/domain/hash-chain.ts";
import type { Violation } from "../../book/violation.ts";
import type { Journal, JournalKind, Line } from "../../book/journal.ts";

const bits = { posted: 1, discharge: 2, credit: 4 };

/** A column of numbers that doubles when it is full. An entry takes 14 bytes in four columns, and no object. */
class Column<A extends Float64Array | Uint32Array | Uint8Array> {
  #values: A;
  readonly #make: (length: number) => A;
  length = 0;

  constructor(make: (length: number) => A) {
    this.#make = make;
    this.#values = make(1024);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = this.#make(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }
}

/**
 * The journals of a file so far, packed, for a verifier that has no database index. Holds the parts that a later
 * resolution or reversal is compared with, and finds an opening, resolution or reversal that happens twice.
 */
export class JournalIndex {
  readonly #kinds: JournalKind[] = [];
  readonly #transactions: LedgerTransactionId[] = [];
  readonly #orders: (PaymentOrderId | null)[] = [];
  readonly #opened = new Set<LedgerTransactionId>();
  readonly #accounts = new Map<LedgerAccountId, number>();
  readonly #accountIds: LedgerAccountId[] = [];
  readonly #currencies: string[] = [];
  /** Two bits per journal: 1 if it was resolved, 2 if it was reversed. */
  readonly #ended = new Column((length) => new Uint8Array(length));
  readonly #firstLine = new Column((length) => new Uint32Array(length));
  readonly #account = new Column((length) => new Uint32Array(length));
  readonly #cents = new Column((length) => new Float64Array(length));
  readonly #flags = new Column((length) => new Uint8Array(length));
  readonly #currency = new Column((length) => new Uint8Array(length));

  /** The journal with this sequence, or null if there is none yet. */
  origin(sequence: number): Origin | null {
    const index = sequence - 1;
    const kind = this.#kinds[index];
    const transactionId = this.#transactions[index];
    if (kind === undefined || transactionId === undefined) return null;
    const end = sequence < this.#firstLine.length ? this.#firstLine.at(sequence) : this.#account.length;
    const lines: Line[] = [];
    for (let line = this.#firstLine.at(index); line < end; line += 1) lines.push(this.#lineAt(line));
    return { kind, transactionId, orderId: this.#orders[index] ?? null, lines };
  }

  /** Adds the next journal. A violation if it repeats a resolution, reversal or opening. Journals have no gap. */
  add(journal: Journal): Violation | null {
    const violation = this.#recordAndFindRepeat(journal)
      ? {
          check: "a hold ends at most once, a posting is reversed at most once, a transaction opens once",
          detail: `journal ${journal.sequence}`,
        }
      : null;
    this.#kinds.push(journal.kind);
    this.#transactions.push(journal.transactionId);
    this.#orders.push(journal.orderId);
    this.#ended.push(0);
    this.#firstLine.push(this.#account.length);
    for (const entry of journal.entries) this.#addLine(entry);
    return violation;
  }

  /** Records what the journal opens or ends. True if an earlier journal had done so. */
  #recordAndFindRepeat(journal: Journal): boolean {
    const origin = originOf(journal);
    if (origin === null) {
      if (this.#opened.has(journal.transactionId)) return true;
      this.#opened.add(journal.transactionId);
      return false;
    }
    const end = journal.resolves === null ? 2 : 1;
    const ended = this.#ended.at(origin - 1);
    this.#ended.set(origin - 1, ended | end);
    return (ended & end) !== 0;
  }

  #addLine({ accountId, currency, layer, role, direction, amountCents }: Line): void {
    this.#account.push(this.#accountIndex(accountId));
    this.#currency.push(this.#currencyIndex(currency));
    // An entry's amount is a safe integer, by a constraint of its table.
    this.#cents.push(Number(amountCents));
    this.#flags.push(
      (layer === "Posted" ? bits.posted : 0) |
        (role === "Discharge" ? bits.discharge : 0) |
        (direction === "Credit" ? bits.credit : 0),
    );
  }

  #lineAt(index: number): Line {
    const flags = this.#flags.at(index);
    const accountId = this.#accountIds[this.#account.at(index)];
    const currency = this.#currencies[this.#currency.at(index)];
    if (accountId === undefined || currency === undefined) throw new TypeError("a line has no account");
    return {
      accountId,
      currency,
      layer: flags & bits.posted ? "Posted" : "Pending",
      role: flags & bits.discharge ? "Discharge" : "Normal",
      direction: flags & bits.credit ? "Credit" : "Debit",
      amountCents: BigInt(this.#cents.at(index)),
    };
  }

  #accountIndex(id: LedgerAccountId): number {
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    this.#accounts.set(id, this.#accountIds.length);
    return this.#accountIds.push(id) - 1;
  }

  #currencyIndex(currency: string): number {
    const known = this.#currencies.indexOf(currency);
    return known === -1 ? this.#currencies.push(currency) - 1 : known;
  }
}
