import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { z } from "zod";
import type { transactionPolicy } from "../../../contracts/messages/ledger-transactions.ts";
import { ApprovalPolicyChanged } from "../../../contracts/messages/orders.ts";
import type { BookId, ProposalId } from "../../../contracts/ids/ids.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { type ApprovalPolicy, loosenedMembers } from "../order/approval-policy.ts";
import { requirementsByRange } from "../order/approvals.ts";
import { insertPolicy, type PolicyInForce } from "./store/approval-policies.ts";
import { lockDailyLimitExclusive, lockOrdersToRecount, recountUsage } from "../store/daily-usage.ts";
import { supersedeProposals } from "./store/policy-proposals.ts";
import { recheckLater } from "../rechecks/store/rechecks.ts";
import { raiseAwaitingHandOff } from "../store/orders-that-wait.ts";

export interface Replacement {
  readonly book: BookId;
  readonly inForce: PolicyInForce;
  readonly next: ApprovalPolicy;
  readonly principal: string;
  /** Null for a policy that loosens nothing, and so needs no second principal. */
  readonly proposal: ProposalId | null;
}

/**
 * Puts another policy into force; the caller holds the policy's lock. Open proposals are superseded, because they were
 * compared with the previous policy. Waiting orders are made due after the commit.
 */
export async function replacePolicy(unit: UnitOfWork, replacement: Replacement): Promise<void> {
  const { book, inForce, next, principal, proposal } = replacement;
  const at = realTime();
  const limitBegins = inForce.policy.dailyLimitCents === null && next.dailyLimitCents !== null;
  const day = limitBegins ? await lockToRecount(unit.sql, book) : null;
  if (loosenedMembers(next, inForce.policy).length > 0)
    await raiseWaiting(unit.sql, book, inForce.policy, at);
  await Promise.all([
    insertPolicy(unit.sql, { book, policy: next, version: inForce.version + 1, principal, proposal, at }),
    supersedeProposals(unit.em, book, principal, at),
    recheckLater(unit.sql, { book, kind: "Gate" }),
  ]);
  const version = inForce.version + 1;
  const data = transactionPolicyOf({ policy: next, version });
  unit.outbox.add(ApprovalPolicyChanged, { book, subject: book, sequence: version, data });
  if (day !== null) await recountUsage(unit.sql, book, day);
}

/**
 * Locks what a day's usage depends on, and returns the day. The limit comes before the orders, as in submissions. The
 * time is read after the lock: another day may have begun during the wait, whose submissions no limit counted.
 */
async function lockToRecount(sql: Sql, book: BookId): Promise<string> {
  await lockDailyLimitExclusive(sql, book);
  const day = newYorkDate(await readTimeIn(sql, book));
  await lockOrdersToRecount(sql, book, day);
  return day;
}

/**
 * Raises the requirements of waiting orders to those of a policy that is about to be loosened. An order needs the
 * approvals of the strictest policy since its submission, and it may not have been evaluated under this one yet.
 */
async function raiseWaiting(sql: Sql, book: BookId, policy: ApprovalPolicy, realNow: Date): Promise<void> {
  const now = await readTimeIn(sql, book, realNow);
  await raiseAwaitingHandOff(sql, book, requirementsByRange(policy), { now, realNow });
}

/** What the ledger enforces of a policy. */
export function transactionPolicyOf({ policy, version }: PolicyInForce): z.input<typeof transactionPolicy> {
  return {
    version,
    approvalRequired: policy.requireApprovalForLedgerTransactions,
    thresholdCents: policy.approvalThresholdCents,
  };
}
