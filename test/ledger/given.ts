/** A book in memory, for tests of the form: given a book, when a command comes, then … */
import { type LedgerAccountId, newId } from "../../contracts/ids/ids.ts";
import {
  type Account,
  balancesOf,
  type Layer,
  type Role,
  zeroCounters,
} from "../../services/ledger/book/account.ts";
import { decide, type Decision } from "../../services/ledger/book/decide.ts";
import { evolve, type WorkingBook } from "../../services/ledger/book/book-state.ts";
import {
  chartAccountId,
  chartCurrency,
  chartOfAccounts,
} from "../../services/ledger/book/chart-of-accounts.ts";
import type { LedgerCommand } from "../../services/ledger/book/commands.ts";
import { sampleBook } from "./commands.ts";

export const cash = chartAccountId(sampleBook, "SettlementCash");
export const wallet = chartAccountId(sampleBook, "StablecoinWallet");
export const suspense = chartAccountId(sampleBook, "Suspense");
export const payroll = newId("la");
export const savings = newId("la");
/** Refuses overdraft. */
export const strict = newId("la");

export function account(id: LedgerAccountId, more: Partial<Account> = {}): Account {
  return {
    id,
    name: "Payroll",
    currency: "USD",
    normalBalance: "Credit",
    class: "Tenant",
    overdraft: "Allowed",
    closed: false,
    version: 0,
    counters: zeroCounters,
    ...more,
  };
}

export class GivenBook {
  readonly book: WorkingBook;

  constructor() {
    const chart = chartOfAccounts.map((made) =>
      account(chartAccountId(sampleBook, made.class), { ...made, currency: chartCurrency }),
    );
    const own = [
      account(payroll),
      account(savings, { name: "Savings" }),
      account(strict, { name: "Strict", overdraft: "Refused" }),
    ];
    this.book = {
      id: sampleBook,
      lastSequence: 0,
      now: new Date("2026-03-10T12:00:00.000Z"),
      calendar: { began: new Date("2026-01-01T00:00:00.000Z"), closedThrough: null },
      accounts: new Map([...chart, ...own].map((made) => [made.id, made])),
      transactions: new Map(),
      obligations: new Map(),
      outcomes: new Map(),
    };
  }

  /** Decides a command and applies the outcome to the book. */
  after(command: LedgerCommand): Decision {
    const decision = decide(this.book, command);
    if (decision.kind === "Append" || decision.kind === "Refuse") evolve(this.book, command, decision);
    return decision;
  }

  /** The lines that a command appends. */
  linesAfter(command: LedgerCommand): unknown {
    return linesOf(this.after(command));
  }

  /** The code with which a command is refused or invalid, or the kind of the decision. */
  codeAfter(command: LedgerCommand): string {
    return resultCode(this.after(command));
  }

  /** Puts an account into a state that no command can produce. */
  has(changed: Account): void {
    this.book.accounts.set(changed.id, changed);
  }

  /** Closes the book's period up to an instant. */
  closesPeriod(through: string): void {
    this.book.calendar = { began: new Date("2026-01-01T00:00:00.000Z"), closedThrough: new Date(through) };
  }

  /** Says when the book was created, in real time. */
  began(at: string): void {
    this.book.calendar = { began: new Date(at), closedThrough: null };
  }

  closes(id: LedgerAccountId): void {
    this.has({ ...this.book.accounts.get(id)!, closed: true });
  }

  /** Posted, pending, pending inbound, available. */
  balanceOf(id: LedgerAccountId): number[] {
    const { normalBalance, counters } = this.book.accounts.get(id)!;
    const { posted, pending, pendingInbound, available } = balancesOf(normalBalance, counters);
    return [posted, pending, pendingInbound, available].map(Number);
  }
}

type Side = readonly ["Debit" | "Credit", LedgerAccountId, number];
export const dr = (account: LedgerAccountId, cents: number): Side => ["Debit", account, cents];
export const cr = (account: LedgerAccountId, cents: number): Side => ["Credit", account, cents];

/** Lines as `linesOf` gives them. */
const linesIn =
  (layer: Layer, role: Role) =>
  (...sides: Side[]) =>
    sides.map(([direction, account, cents]) => [layer, role, direction, account, cents]);
export const held = linesIn("Pending", "Normal");
export const discharged = linesIn("Pending", "Discharge");
export const posted = linesIn("Posted", "Normal");

/** The lines of the appended journal, or the decision if nothing was appended. */
export function linesOf(decision: Decision): unknown {
  if (decision.kind !== "Append") return decision;
  return decision.journal.entries.map((e) => [
    e.layer,
    e.role,
    e.direction,
    e.accountId,
    Number(e.amountCents),
  ]);
}

/** The code of the refusal or of the invalid command, or the result if there is none. */
export function resultCode(decision: Decision): string {
  if (decision.kind === "Invalid") return decision.code;
  return decision.kind === "Refuse" && decision.outcome.result === "Refused"
    ? decision.outcome.code
    : decision.kind;
}
