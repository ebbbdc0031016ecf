/** A bank that issues statements of the sample book, for reconciliation tests. */
import { type BankStatementId, newId, newUuid, type PaymentOrderId } from "../../contracts/ids/ids.ts";
import {
  maxLinesPerPart,
  type StatementHeader,
  StatementIssued,
  type StatementLine,
  type StatementPart,
} from "../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../contracts/statement-hash.ts";
import { sampleBook } from "./commands.ts";
import type { MessageOf } from "../../services/platform/handlers/decorators.ts";

export type StatementMessage = MessageOf<typeof StatementIssued>;

/** `-300` is outgoing money. */
export function lineOf(
  orderId: PaymentOrderId | null,
  cents: number,
  more: Partial<StatementLine> = {},
): Omit<StatementLine, "line"> {
  return {
    account: "SettlementCash",
    side: cents < 0 ? "Out" : "In",
    amountCents: Math.abs(cents),
    reference: "791000000000001",
    customerReference: orderId,
    kind: "Settlement",
    occurredAt: "2026-03-02T15:00:00.000Z",
    ...more,
  };
}

/** When banking days of March 2026 end: New York's clocks go forward in the night to the 8th. */
export const endOf = {
  "2026-03-02": "2026-03-03T05:00:00.000Z",
  "2026-03-03": "2026-03-04T05:00:00.000Z",
  "2026-03-06": "2026-03-07T05:00:00.000Z",
  "2026-03-09": "2026-03-10T04:00:00.000Z",
  "2026-03-10": "2026-03-11T04:00:00.000Z",
} as const;

export class Bank {
  #previous: StatementHeader | null = null;
  readonly #printed: StatementPart[] = [];

  /**
   * The next statement, in as many parts as needed. `header` overrides its own with false values; the hash fits them.
   */
  prints(
    date: keyof typeof endOf,
    wishes: readonly Omit<StatementLine, "line">[],
    header: Partial<StatementHeader> = {},
  ): StatementPart[] {
    const lines = wishes.map((wish, index): StatementLine => ({ line: index + 1, ...wish }));
    const opening = header.openingBalanceCents ?? this.#previous?.closingBalanceCents ?? 0;
    const moved = lines.reduce(
      (sum, { side, amountCents }) => sum + (side === "In" ? 1 : -1) * amountCents,
      0,
    );
    const unhashed: StatementHeader = {
      id: newId("stm"),
      number: (this.#previous?.number ?? 0) + 1,
      date,
      previousStatementId: this.#previous?.id ?? null,
      endsAt: endOf[date],
      openingBalanceCents: opening,
      closingBalanceCents: opening + moved,
      lineCount: lines.length,
      hash: "",
      ...header,
    };
    const statement = { ...unhashed, hash: statementHash(sampleBook, unhashed, lines) };
    this.#previous = statement;
    const parts = Math.max(1, Math.ceil(lines.length / maxLinesPerPart));
    const printed = Array.from({ length: parts }, (_, index) => ({
      statement,
      part: index + 1,
      parts,
      lines: lines.slice(index * maxLinesPerPart, (index + 1) * maxLinesPerPart),
    }));
    this.#printed.push(...printed);
    return printed;
  }

  /** All parts issued so far. */
  reads({ statementId, part }: { statementId: BankStatementId; part: number }): StatementPart {
    const found = this.#printed.find((each) => each.statement.id === statementId && each.part === part);
    if (found === undefined) throw new Error(`${statementId} was never printed`);
    return found;
  }

  /** As the bank answers `ReadStatementsAfter`. */
  readsAfter({ number }: { number: number }): { firstParts: StatementPart[] } {
    const next = this.#printed.filter(({ statement, part }) => part === 1 && statement.number > number);
    let lineCount = 0;
    const over = next.findIndex(({ statement }) => (lineCount += statement.lineCount) > maxLinesPerPart);
    return { firstParts: next.slice(0, over === -1 ? 21 : Math.min(21, Math.max(1, over))) };
  }
}

/** The parts as messages. */
export function messagesOf(parts: readonly StatementPart[]): StatementMessage[] {
  return parts.map((data) => ({
    id: newUuid(),
    type: StatementIssued.type,
    time: new Date().toISOString(),
    book: sampleBook,
    subject: data.statement.id,
    correlationid: newUuid(),
    data,
  }));
}

export function idOfStatement([first]: readonly StatementPart[]): BankStatementId {
  if (first === undefined) throw new Error("a statement has a part");
  return first.statement.id;
}
