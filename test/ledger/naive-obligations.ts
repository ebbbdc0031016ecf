/**
 * A tenant's obligations as one would keep them on a page: what was filed of each, and what became of its payments. All
 * else is summed anew at each question. It shares nothing with the ledger's own judges and moves.
 */
import type { ObligationType } from "../../services/ledger/book/obligation.ts";
import type { Said } from "./naive-model.ts";

export type PayingRail = "Ach" | "Usdc";

interface Payment {
  readonly cents: number;
  readonly rail: PayingRail;
  /** Ended: refused, failed, or returned after all. */
  state: "Asked" | "Held" | "Cleared" | "Ended";
  /** What was said to each command of its order: a resend hears it again. */
  readonly said: Map<string, Said>;
}

interface Filed {
  readonly type: ObligationType;
  /** None while it is a draft. */
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

  fixes(index: number, cents: number): Said {
    const filed = this.#at(index);
    if (filed.cents !== null) return "invalid_state_transition";
    filed.cents = cents;
    return "Appended";
  }

  amends(index: number, cents: number): Said {
    const filed = this.#at(index);
    if (!["Fixed", "Relieved"].includes(this.statusOf(index))) return "invalid_state_transition";
    if (cents < total(filed.payments, "Cleared")) return "amended_below_paid";
    filed.cents = cents;
    return "Appended";
  }

  /** Its next payment is of all that is outstanding. */
  remits(index: number, rail: PayingRail): Said {
    if (this.statusOf(index) !== "Fixed") return "obligation_not_payable";
    const cents = this.outstanding(index);
    this.#at(index).payments.push({ cents, rail, state: "Asked", said: new Map() });
    return "Appended";
  }

  /** A command of the order that is the obligation's nth payment. */
  hears(index: number, nth: number, command: "hold" | "settle" | "release" | "late return"): Said {
    const payment = this.#at(index).payments[nth];
    if (payment === undefined) throw new Error("there is no such payment");
    const said = payment.said.get(command) ?? this.#decides(payment, command);
    if (said !== "Impossible") payment.said.set(command, said);
    return said;
  }

  #decides(payment: Payment, command: "hold" | "settle" | "release" | "late return"): Said {
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
    if (payments.some(({ state }) => state === "Asked" || state === "Held")) return "Remitting";
    return this.outstanding(index) === 0 ? "Relieved" : "Fixed";
  }

  outstanding(index: number): number {
    const { cents, payments } = this.#at(index);
    return (cents ?? 0) - total(payments, "Cleared");
  }

  /** Of the account that pays them all. */
  funding(): { posted: number; pending: number } {
    const payments = this.#filed.flatMap((filed) => filed.payments);
    return { posted: this.#funds - total(payments, "Cleared"), pending: total(payments, "Held") };
  }

  /** What left the bank's account, or the wallet. */
  paidOver(rail: PayingRail): number {
    const payments = this.#filed.flatMap((filed) => filed.payments);
    return total(
      payments.filter((payment) => payment.rail === rail),
      "Cleared",
    );
  }

  /** Owed and not paid yet, of all obligations of a type. */
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
