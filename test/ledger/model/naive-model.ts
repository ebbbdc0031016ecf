/**
 * A reference model of the ledger, as short as possible: it stores movements per transaction, and sums posted and held
 * money on each read. It shares nothing with `decide`: no counters, no journals, no discharge lines.
 */
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import type { Account } from "../../../services/ledger/book/account.ts";
import { chartAccountId } from "../../../services/ledger/book/chart-of-accounts.ts";
import type { HoldCommand, LedgerCommand, SuspenseCommand } from "../../../services/ledger/book/commands.ts";
import type { SequenceWorld } from "./sequences.ts";

/** One account's part of a transaction. The number of debits and credits may differ. */
interface Movement {
  readonly account: LedgerAccountId;
  /** Debits are positive. */
  readonly cents: number;
}

interface ModelTransaction {
  readonly movements: readonly Movement[];
  readonly whose: "an order's" | "a person's" | "the bank's";
  state: "Held" | "Settled" | "Released" | "Posted" | "Undone";
}

/** `Appended`, the code of a refusal, or `Impossible` for an invalid command. */
export type ModelAnswer = string;
const impossible = "Impossible";

export interface SeenBalances {
  readonly posted: number;
  readonly pending: number;
  readonly pendingInbound: number;
  readonly available: number;
}

export class NaiveBook {
  readonly #world: SequenceWorld;
  readonly #transactions = new Map<string, ModelTransaction>();
  readonly #answers = new Map<string, { readonly request: string; readonly answer: ModelAnswer }>();

  constructor(world: SequenceWorld) {
    this.#world = world;
  }

  /**
   * The expected answer to a command. A repeat gets the first answer, even if it would be decided differently now.
   */
  answerTo(command: LedgerCommand): ModelAnswer {
    const request = JSON.stringify(command);
    const before = this.#answers.get(command.commandId);
    if (before !== undefined) return before.request === request ? before.answer : impossible;
    const answer = this.#decide(command);
    if (answer !== impossible) this.#answers.set(command.commandId, { request, answer });
    return answer;
  }

  balances({ id, normalBalance }: Pick<Account, "id" | "normalBalance">): SeenBalances {
    const sign = normalBalance === "Debit" ? 1 : -1;
    const posted = this.#sum(id, (cents) => cents * sign, "Settled", "Posted");
    // The held cents that leave the account, and those that arrive.
    const pending = this.#sum(id, (cents) => Math.max(0, -cents * sign), "Held");
    const pendingInbound = this.#sum(id, (cents) => Math.max(0, cents * sign), "Held");
    return { posted, pending, pendingInbound, available: posted - pending };
  }

  #sum(
    account: LedgerAccountId,
    of: (cents: number) => number,
    ...states: ModelTransaction["state"][]
  ): number {
    let sum = 0;
    for (const { movements, state } of this.#transactions.values()) {
      if (!states.includes(state)) continue;
      for (const movement of movements) if (movement.account === account) sum += of(movement.cents);
    }
    // No minus before a zero.
    return sum === 0 ? 0 : sum;
  }

  #decide(command: LedgerCommand): ModelAnswer {
    switch (command.kind) {
      case "Hold":
        return this.#open(
          orderOf(command),
          this.#held(command),
          "an order's",
          "Held",
          rejectHold(this.#world, command),
        );
      case "Settle":
      case "Release":
        return this.#endOrder(orderOf(command), "Held", command.kind === "Settle" ? "Settled" : "Released");
      case "LateReturn":
        return this.#endOrder(orderOf(command), "Settled", "Undone");
      case "Suspense":
        return this.#open(command.transactionId, this.#suspense(command), "an order's", "Posted", null);
      case "Post":
      case "OpenPending": {
        const movements = command.lines.map(({ ledgerAccountId, direction, amountCents }) => ({
          account: ledgerAccountId,
          cents: direction === "Debit" ? amountCents : -amountCents,
        }));
        const off = movements.reduce((sum, { cents }) => sum + cents, 0) !== 0;
        const state = command.kind === "Post" ? "Posted" : "Held";
        return this.#open(
          command.transactionId,
          movements,
          "a person's",
          state,
          off ? "unbalanced_transaction" : null,
        );
      }
      case "PostPending":
        return this.#endByHand(command.transactionId, "Held", "Settled");
      case "VoidPending":
        return this.#endByHand(command.transactionId, "Held", "Released");
      case "Reverse":
        return this.#endByHand(command.transactionId, ["Posted", "Settled"], "Undone");
      case "Inbound": {
        const { ledgerAccountId, contra, amountCents } = command;
        const to = ledgerAccountId ?? this.#chart("Suspense");
        const movements = between(this.#chart(contra.kind), to, amountCents);
        return this.#open(command.transactionId, movements, "the bank's", "Posted", null, "bank");
      }
      case "UnmatchedReturn": {
        const [bank, suspense] = [this.#chart(command.contra.kind), this.#chart("Suspense")];
        const movements =
          command.direction === "Credit"
            ? between(bank, suspense, command.amountCents)
            : between(suspense, bank, command.amountCents);
        return this.#open(command.transactionId, movements, "the bank's", "Posted", null, "bank");
      }
      case "Assign": {
        const isCharge = command.direction === "Debit";
        const [from, to] = [this.#chart("Suspense"), command.ledgerAccountId];
        const movements = isCharge
          ? between(to, from, command.amountCents)
          : between(from, to, command.amountCents);
        const reason = isAsset(this.#world, command.ledgerAccountId) ? "invalid_field" : null;
        const movedBy = isCharge ? "bank" : "tenant";
        return this.#open(command.transactionId, movements, "the bank's", "Posted", reason, movedBy);
      }
      case "Accrue":
        throw new Error("obligations have a model of their own: naive-obligations.ts");
    }
  }

  #open(
    id: string,
    movements: readonly Movement[],
    whose: ModelTransaction["whose"],
    state: ModelTransaction["state"],
    reason: ModelAnswer | null,
    movedBy: "tenant" | "bank" = whose === "an order's" && state === "Posted" ? "bank" : "tenant",
  ): ModelAnswer {
    if (this.#transactions.has(id)) return impossible;
    if (reason !== null) return reason;
    const touched = this.#world.accounts.filter((own) => movements.some(({ account }) => account === own.id));
    const before = touched.map((own) => this.balances(own).available);
    this.#transactions.set(id, { movements, whose, state });
    const short = touched.some((own, index) => {
      const { available } = this.balances(own);
      return own.overdraft === "Refused" && available < 0 && available < (before[index] ?? 0);
    });
    if (!short || movedBy === "bank") return "Appended";
    this.#transactions.delete(id);
    return "insufficient_funds";
  }

  #endOrder(id: string, from: ModelTransaction["state"], to: ModelTransaction["state"]): ModelAnswer {
    const transaction = this.#transactions.get(id);
    if (transaction?.whose !== "an order's" || transaction.state !== from) return impossible;
    transaction.state = to;
    return "Appended";
  }

  #endByHand(
    id: string,
    from: ModelTransaction["state"] | readonly ModelTransaction["state"][],
    to: ModelTransaction["state"],
  ): ModelAnswer {
    const transaction = this.#transactions.get(id);
    if (transaction === undefined) return "not_found";
    if (transaction.whose !== "a person's") return "transaction_owned";
    if (transaction.state === "Undone" && to === "Undone") return "already_reversed";
    if (![from].flat().includes(transaction.state)) return "invalid_state_transition";
    transaction.state = to;
    return "Appended";
  }

  #chart(of: "SettlementCash" | "StablecoinWallet" | "Suspense"): LedgerAccountId {
    return chartAccountId(this.#world.book, of);
  }

  #held({ contra, direction, ledgerAccountId, amountCents }: HoldCommand): Movement[] {
    if (contra.kind === "Obligation")
      throw new Error("obligations have a model of their own: naive-obligations.ts");
    const other = contra.kind === "LedgerAccount" ? contra.ledgerAccountId : this.#chart(contra.kind);
    return direction === "Credit"
      ? between(ledgerAccountId, other, amountCents)
      : between(other, ledgerAccountId, amountCents);
  }

  /**
   * Money that the bank moved for a final Credit: out of Suspense if settled, back if returned. A Debit the other way.
   */
  #suspense({ contra, direction, movement, amountCents }: SuspenseCommand): Movement[] {
    const bank = this.#chart(contra.kind);
    return (direction === "Credit") === (movement === "Settlement")
      ? between(this.#chart("Suspense"), bank, amountCents)
      : between(bank, this.#chart("Suspense"), amountCents);
  }
}

const between = (debited: LedgerAccountId, credited: LedgerAccountId, cents: number): Movement[] => [
  { account: debited, cents },
  { account: credited, cents: -cents },
];

const orderOf = ({ orderId }: { readonly orderId: string }) => orderId.replace(/^po_/, "lt_");

const isAsset = (world: SequenceWorld, id: LedgerAccountId) =>
  world.accounts.find((account) => account.id === id)?.normalBalance === "Debit";

function rejectHold(world: SequenceWorld, { ledgerAccountId, contra }: HoldCommand): ModelAnswer | null {
  const other = contra.kind === "LedgerAccount" ? contra.ledgerAccountId : null;
  if (other === ledgerAccountId) return "same_account";
  return isAsset(world, ledgerAccountId) || (other !== null && isAsset(world, other))
    ? "invalid_field"
    : null;
}
