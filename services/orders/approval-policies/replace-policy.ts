import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { BookId, PaymentOrderId, ProposalId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { type ApprovalPolicy, loosenedMembers } from "../order/approval-policy.ts";
import { raisedRequirements } from "../order/approvals.ts";
import { insertPolicy, type PolicyInForce } from "./store/approval-policies.ts";
import { lockDailyLimitExclusive, recountUsage } from "../store/daily-usage.ts";
import { saveOrders } from "../store/payment-orders.ts";
import { supersedeProposals } from "./store/policy-proposals.ts";
import { lockAwaitingRelease, makeAwaitingReleaseDue } from "../store/orders-awaiting-release.ts";

export interface Replacement {
  readonly book: BookId;
  readonly now: PolicyInForce;
  readonly next: ApprovalPolicy;
  readonly principal: string;
  /** Null for a policy that tightened, and so needed no second principal. */
  readonly proposal: ProposalId | null;
}

/**
 * Puts another policy into force, under the policy's lock. What was proposed against the one before is superseded:
 * an approval must not undo what it does not know of. Waiting orders are looked at again at once.
 */
export async function replacePolicy(unit: UnitOfWork, replacement: Replacement): Promise<void> {
  const { book, now, next, principal, proposal } = replacement;
  const at = new Date();
  const limitBegins = now.policy.dailyLimitCents === null && next.dailyLimitCents !== null;
  // Before the rows of orders, as submissions do.
  if (limitBegins) await lockDailyLimitExclusive(unit.sql, book);
  if (loosenedMembers(next, now.policy).length > 0) await raiseWaiting(unit.sql, book, now.policy, at);
  await Promise.all([
    insertPolicy(unit.sql, { book, policy: next, version: now.version + 1, principal, proposal, at }),
    supersedeProposals(unit.sql, book, principal, at),
    makeAwaitingReleaseDue(unit.sql, book, at),
  ]);
  if (limitBegins) {
    // No day is longer than 25 hours, so the orders that were made today are among these.
    const since = new Date(at.getTime() - 26 * 3_600_000);
    await recountUsage(unit.sql, book, newYorkDate(at), since);
  }
}

const ordersAtOnce = 500;

/**
 * Before a policy is loosened, what waits is raised to what that policy asked for, in case nobody has looked at it
 * while it held: an order needs what the strictest policy since its submission has asked for.
 */
async function raiseWaiting(sql: Sql, book: BookId, policy: ApprovalPolicy, at: Date): Promise<void> {
  let after: PaymentOrderId | null = null;
  for (;;) {
    const orders = await lockAwaitingRelease(sql, book, after, ordersAtOnce);
    const raised = orders.flatMap((order) => {
      const needs = raisedRequirements(order, policy, at);
      if (Object.keys(needs).length === 0) return [];
      return [{ ...order, updatedAt: at, progress: { ...order.progress, ...needs } }];
    });
    await saveOrders(sql, raised);
    const last = orders.at(-1);
    if (last === undefined || orders.length < ordersAtOnce) return;
    after = last.id;
  }
}
