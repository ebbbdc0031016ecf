/** Sequences of ledger commands for property tests, and what the pure function makes of them. */
import fc from "fast-check";
import {
  type BookId,
  bookIdOf,
  type LedgerAccountId,
  newId,
  newUuid,
  type TenantId,
} from "../../../contracts/ids/ids.ts";
import { type Account, zeroCounters } from "../../../services/ledger/book/account.ts";
import { decide } from "../../../services/ledger/book/decide.ts";
import { evolve, type Outcome, type WorkingBook } from "../../../services/ledger/book/book-state.ts";
import type { Journal } from "../../../services/ledger/book/journal.ts";
import {
  chartAccountId,
  chartCurrency,
  chartOfAccounts,
} from "../../../services/ledger/book/chart-of-accounts.ts";
import type {
  LedgerCommand,
  OpenPendingCommand,
  PostCommand,
} from "../../../services/ledger/book/commands.ts";
import {
  assignOf,
  holdOf,
  inboundOf,
  lateReturnOf,
  pendingOf,
  postingOf,
  postPendingOf,
  releaseOf,
  reversalOf,
  sampleEffectiveAt,
  settlementOf,
  suspensePostingOf,
  unmatchedReturnOf,
  voidPendingOf,
} from "../commands.ts";

export interface SequenceWorld {
  readonly tenantId: TenantId;
  readonly book: BookId;
  readonly accounts: readonly Account[];
}

const order = fc.nat(5);
const account = fc.nat(3);
const cents = fc.integer({ min: 1, max: 60 });
export const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("hold" as const), order, account, cents, shape: fc.nat(5) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("settle" as const, "release" as const, "return" as const),
      order,
      again: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("post" as const),
      from: account,
      to: account,
      cents,
      off: fc.constantFrom(0, 0, 0, 1),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("suspense" as const), order, cents, shape: fc.nat(7) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("inbound" as const),
      account: fc.nat(4),
      cents,
      shape: fc.nat(1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("unmatchedReturn" as const), cents, takes: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("assign" as const), account, cents, charges: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("reverse" as const, "postPending" as const, "voidPending" as const),
      post: fc.nat(5),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("repeat" as const), of: fc.nat(40) }) },
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A fresh tenant's book with four accounts; two refuse overdraft, one of those is Debit-normal. */
export function newWorld(): SequenceWorld {
  const tenantId = newId("ten");
  const own = (name: string, more: Partial<Account>): Account => ({
    id: newId("la"),
    name,
    currency: "USD",
    normalBalance: "Credit",
    class: "Tenant",
    overdraft: "Allowed",
    closed: false,
    version: 0,
    counters: zeroCounters,
    ...more,
  });
  return {
    tenantId,
    book: bookIdOf(tenantId, "Test"),
    accounts: [
      own("Payroll", {}),
      own("Savings", {}),
      own("Strict", { overdraft: "Refused" }),
      own("Strict asset", { overdraft: "Refused", normalBalance: "Debit" }),
    ],
  };
}

/**
 * Turns steps into commands: what a step points at (an order, a posting, an earlier command) is made from the world.
 */
export function commandsOf(world: SequenceWorld, steps: readonly Step[]): LedgerCommand[] {
  const orders = Array.from({ length: 6 }, () => newId("po"));
  const posts: (PostCommand | OpenPendingCommand)[] = [];
  const commands: LedgerCommand[] = [];
  const idOfAccount = (index: number): LedgerAccountId => world.accounts[index]!.id;
  for (const next of steps) {
    switch (next.kind) {
      case "hold": {
        const contras = [
          { kind: "SettlementCash" },
          { kind: "StablecoinWallet" },
          { kind: "LedgerAccount", ledgerAccountId: idOfAccount(next.shape % 4) },
        ] as const;
        commands.push({
          ...holdOf(orders[next.order]!, idOfAccount(next.account), next.cents, {
            direction: next.shape < 3 ? "Credit" : "Debit",
            contra: contras[next.shape % 3]!,
          }),
          tenantId: world.tenantId,
        });
        break;
      }
      case "settle":
      case "release":
      case "return": {
        const make = { settle: settlementOf, release: releaseOf, return: lateReturnOf }[next.kind];
        const command = make(orders[next.order]!);
        commands.push(next.again ? { ...command, commandId: newUuid() } : command);
        break;
      }
      case "post": {
        const post = (next.waits ? pendingOf : postingOf)(
          [idOfAccount(next.from), "Debit", next.cents],
          [idOfAccount(next.to), "Credit", next.cents + next.off],
        );
        posts.push({ ...post, effectiveAt: sampleEffectiveAt });
        commands.push(posts.at(-1)!);
        break;
      }
      case "suspense":
        commands.push(
          suspensePostingOf(orders[next.order]!, next.cents, {
            movement: next.shape % 2 === 0 ? "Settlement" : "Return",
            direction: next.shape % 4 < 2 ? "Credit" : "Debit",
            contra: { kind: next.shape < 4 ? "SettlementCash" : "StablecoinWallet" },
          }),
        );
        break;
      case "inbound": {
        const contra = { kind: next.shape === 0 ? "SettlementCash" : "StablecoinWallet" } as const;
        // The fifth account does not exist: its number is unknown.
        const ledgerAccountId = world.accounts[next.account]?.id ?? null;
        commands.push({ ...inboundOf(ledgerAccountId, next.cents, contra), tenantId: world.tenantId });
        break;
      }
      case "assign":
        commands.push(assignOf(idOfAccount(next.account), next.cents, next.charges ? "Debit" : "Credit"));
        break;
      case "unmatchedReturn":
        commands.push(unmatchedReturnOf(next.cents, next.takes ? "Debit" : "Credit"));
        break;
      case "reverse":
      case "postPending":
      case "voidPending": {
        const make = { reverse: reversalOf, postPending: postPendingOf, voidPending: voidPendingOf }[
          next.kind
        ];
        const command = make(posts[next.post] ?? { transactionId: newId("lt") });
        commands.push({ ...command, effectiveAt: sampleEffectiveAt });
        break;
      }
      case "repeat":
        if (commands[next.of] !== undefined) commands.push(commands[next.of]!);
    }
  }
  return commands;
}

/** The part of an outcome that is stored: which account refused is only in the first answer. */
export function kept(outcome: Outcome): Outcome {
  if (outcome.result === "Appended") return outcome;
  const { result, transactionId, code, detail } = outcome;
  return { result, transactionId, code, detail };
}

/** The expected result: the pure function applied to one command after the other. Invalid commands are listed apart. */
export function oracle(world: SequenceWorld, commands: readonly LedgerCommand[]) {
  const chart = chartOfAccounts.map(
    (made): Account => ({
      ...world.accounts[0]!,
      ...made,
      id: chartAccountId(world.book, made.class),
      currency: chartCurrency,
    }),
  );
  const book: WorkingBook = {
    id: world.book,
    lastSequence: 0,
    now: new Date(),
    calendar: { began: new Date(sampleEffectiveAt), closedThrough: null },
    accounts: new Map([...chart, ...world.accounts].map((made) => [made.id, made])),
    transactions: new Map(),
    obligations: new Map(),
    outcomes: new Map(),
  };
  const journals: Journal[] = [];
  const valid: LedgerCommand[] = [];
  const invalid: LedgerCommand[] = [];
  const outcomes: Outcome[] = [];
  for (const command of commands) {
    const decision = decide(book, command);
    if (decision.kind === "Invalid") {
      invalid.push(command);
      continue;
    }
    valid.push(command);
    outcomes.push(kept(decision.outcome));
    if (decision.kind === "Repeat") continue;
    evolve(book, command, decision);
    if (decision.journal !== null) journals.push(decision.journal);
  }
  // A command that came too early may be valid now (a settlement before its hold), but that is another sequence.
  const stillInvalid = invalid.filter((command) => decide(book, command).kind === "Invalid");
  return { book, journals, valid, invalid: stillInvalid, outcomes };
}
