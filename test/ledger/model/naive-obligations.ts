/**
 * A reference model of a tenant's obligations: it stores each one's fixed sum and the states of its payments, and
 * computes everything else on each read. It shares nothing with `decideAccrual` or `transitionFor`.
 */
import type { ObligationType } from "../../../services/ledger/book/obligation.ts";
import type { ModelAnswer } from "./naive-model.ts";

export type PayingRail = "Ach" | "Usdc";

interface Payment {
  readonly cents: number;
  readonly rail: PayingRail;
  /** Ended: refused, failed, or returned after all. */
  state: "Requested" | "Held" | "Cleared" | "Ended";
  /** The answer to each command of its order: a resend gets it again. */
  readonly answers: Map<string, ModelAnswer>;
}

interface Filed {
  readonly type: ObligationType;
  /** Null while it is a draft. */
  cents: number | null;
  readonly payments: Payment[];
}

export class NaiveObligations {
  readonly #funds: number;
  readonly #filed: Filed[] = [];

  constructor(funds: number) {
    this.#funds = funds;
  }

  files(type: ObligationType): void {
    this.#filed.push({ type, cents: null, payments: [] });
  }

  fixes(index: number, cents: number): ModelAnswer {
    const filed = this.#at(index);
    if (filed.cents !== null) return "invalid_state_transition";
    filed.cents = cents;
    return "Appended";
  }

  amends(index: number, cents: number): ModelAnswer {
    const filed = this.#at(index);
    if (!["Fixed", "Relieved"].includes(this.statusOf(index))) return "invalid_state_transition";
    if (cents < total(filed.payments, "Cleared")) return "amended_below_paid";
    filed.cents = cents;
    return "Appended";
  }

  /** Starts the next payment, of the whole outstanding sum. */
  remits(index: number, rail: PayingRail): ModelAnswer {
    if (this.statusOf(index) !== "Fixed") return "obligation_not_payable";
    const cents = this.outstanding(index);
    this.#at(index).payments.push({ cents, rail, state: "Requested", answers: new Map() });
    return "Appended";
  }

  /** A command of the order that is the obligation's nth payment. */
  receives(index: number, nth: number, command: "hold" | "settle" | "release" | "late return"): ModelAnswer {
    const payment = this.#at(index).payments[nth];
    if (payment === undefined) throw new Error("there is no such payment");
    const answer = payment.answers.get(command) ?? this.#decides(payment, command);
    if (answer !== "Impossible") payment.answers.set(command, answer);
    return answer;
  }

  #decides(payment: Payment, command: "hold" | "settle" | "release" | "late return"): ModelAnswer {
    if (command === "hold") {
      const { posted, pending } = this.funding();
      const isShort = posted - pending < payment.cents;
      payment.state = isShort ? "Ended" : "Held";
      return isShort ? "insufficient_funds" : "Appended";
    }
    const [from, to] = (
      {
        settle: ["Held", "Cleared"],
        release: ["Held", "Ended"],
        "late return": ["Cleared", "Ended"],
      } as const
    )[command];
    if (payment.state !== from) return "Impossible";
    payment.state = to;
    return "Appended";
  }

  statusOf(index: number): "Open" | "Fixed" | "Remitting" | "Relieved" {
    const { cents, payments } = this.#at(index);
    if (cents === null) return "Open";
    if (payments.some(({ state }) => state === "Requested" || state === "Held")) return "Remitting";
    return this.outstanding(index) === 0 ? "Relieved" : "Fixed";
  }

  outstanding(index: number): number {
    const { cents, payments } = this.#at(index);
    return (cents ?? 0) - total(payments, "Cleared");
  }

  /** The balances of the account that funds all payments. */
  funding(): { posted: number; pending: number } {
    const payments = this.#filed.flatMap((filed) => filed.payments);
    return { posted: this.#funds - total(payments, "Cleared"), pending: total(payments, "Held") };
  }

  /** The sum that left the bank account or the wallet. */
  paidOver(rail: PayingRail): number {
    const payments = this.#filed.flatMap((filed) => filed.payments);
    return total(
      payments.filter((payment) => payment.rail === rail),
      "Cleared",
    );
  }

  /** The unpaid sum of all obligations of a type. */
  expensed(type: ObligationType): number {
    return this.#filed.reduce(
      (sum, filed, index) => sum + (filed.type === type ? this.outstanding(index) : 0),
      0,
    );
  }

  #at(index: number): Filed {
    const filed = this.#filed[index];
    if (filed === undefined) throw new Error("there is no such obligation");
    return filed;
  }
}

function total(payments: readonly Payment[], wanted: Payment["state"]): number {
  return payments.reduce((sum, { cents, state }) => sum + (state === wanted ? cents : 0), 0);
}
