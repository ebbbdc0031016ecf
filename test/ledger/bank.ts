/** A bank that issues statements of the sample book, for reconciliation tests. */
import { type BankStatementId, newId, newUuid, type PaymentOrderId } from "../../contracts/ids/ids.ts";
import {
  maxLinesPerPart,
  type StatementHead,
  StatementIssued,
  type StatementLine,
  type StatementPart,
} from "../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../contracts/statement-hash.ts";
import { sampleBook } from "./commands.ts";
import type { MessageOf } from "../../services/platform/handlers/decorators.ts";

export type StatementMessage = MessageOf<typeof StatementIssued>;
type Wish = Partial<StatementLine> & { readonly cents: number };

/** `-300` is outgoing money. */
export function lineOf(
  orderId: PaymentOrderId | null,
  { cents, ...more }: Wish,
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

export class Bank {
  #previous: StatementHead | null = null;
  readonly #printed: StatementPart[] = [];

  /**
   * The next statement, in as many parts as needed. `head` overrides its header with false values; the hash fits them.
   */
  prints(
    date: string,
    endsAt: string,
    wishes: readonly Omit<StatementLine, "line">[],
    head: Partial<StatementHead> = {},
  ): StatementPart[] {
    const lines = wishes.map((wish, index): StatementLine => ({ line: index + 1, ...wish }));
    const opening = head.openingBalanceCents ?? this.#previous?.closingBalanceCents ?? 0;
    const moved = lines.reduce(
      (sum, { side, amountCents }) => sum + (side === "In" ? 1 : -1) * amountCents,
      0,
    );
    const unhashed: StatementHead = {
      id: newId("stm"),
      number: (this.#previous?.number ?? 0) + 1,
      date,
      previousStatementId: this.#previous?.id ?? null,
      endsAt,
      openingBalanceCents: opening,
      closingBalanceCents: opening + moved,
      lineCount: lines.length,
      hash: "",
      ...head,
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
