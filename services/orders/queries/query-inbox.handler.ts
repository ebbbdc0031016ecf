import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { refusalCodeOf } from "../../../contracts/errors.ts";
import {
  type InboxOrder,
  inboxOrder,
  maxInboxCount,
  maxInboxEntries,
} from "../../../contracts/http/inbox.ts";
import { ReadInbox } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { checkDecision } from "../approval-policies/check-decision.ts";
import { proposalView } from "../approval-policies/query-policy.handler.ts";
import {
  countOpenProposals,
  listProposals,
  type Proposal,
} from "../approval-policies/store/policy-proposals.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import type { Reader } from "../order/approval-view.ts";
import type { BookContext } from "../order/book-context.ts";
import { viewFor } from "../order/order-view.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import { countAwaitingApproval, listAwaitingApproval } from "../store/orders-that-wait.ts";

/** Reads what waits for a decision in the caller's book. */
@Controller()
export class QueryInbox {
  readonly #database: Database;
  readonly #contexts: BookContexts;

  constructor(@Inject(Database) database: Database, @Inject(BookContexts) contexts: BookContexts) {
    this.#database = database;
    this.#contexts = contexts;
  }

  @HandlesRequest(ReadInbox)
  async read(
    { mayApprove, mayDecidePolicies }: z.output<typeof ReadInbox.data>,
    { caller }: RequestContext,
  ): Promise<z.output<typeof ReadInbox.reply>> {
    const { book, principal } = caller;
    const open = { limit: maxInboxEntries, status: ["Open"] } as const;
    const [[orders, orderCount, proposalCount, contextOf], proposals] = await Promise.all([
      this.#database.read([], (sql) =>
        Promise.all([
          listAwaitingApproval(sql, book, maxInboxEntries + 1),
          countAwaitingApproval(sql, book, maxInboxCount),
          countOpenProposals(sql, book, maxInboxCount),
          this.#contexts.of(sql, [book]),
        ]),
      ),
      this.#database.readEntities((em) => listProposals(em, book, open, null)),
    ]);
    const reader = { principal, mayApprove };
    return {
      paymentOrders: listOf(
        orders,
        orderCount,
        (order) => entryOf(order, reader, contextOf(order)),
        byExpiry,
      ),
      policyProposals: listOf(proposals, proposalCount, (proposal) => ({
        ...proposalView(proposal),
        mine: decisionOf(proposal, principal, mayDecidePolicies),
      })),
    };
  }
}

/** `found` is one more than an inbox shows if there are more. */
function listOf<Found, Entry>(
  found: readonly Found[],
  count: number,
  entryOf: (found: Found) => Entry,
  order?: (one: Entry, other: Entry) => number,
) {
  const data = found.slice(0, maxInboxEntries).map(entryOf);
  return { data: order === undefined ? data : data.sort(order), count, hasMore: found.length > data.length };
}

function entryOf(order: PaymentOrder, reader: Reader, context: BookContext): InboxOrder {
  const view = viewFor(reader, order, [], context);
  // Parsed, so that 100 entries stay below the size of a message: an order's metadata alone can have 27 kB.
  return inboxOrder.parse({ ...view, pendingSince: order.progress.timers.pendingSince ?? view.createdAt });
}

/** Orders without an expiry wait for the end of a freeze: they are last. */
function byExpiry({ approval: one }: InboxOrder, { approval: other }: InboxOrder): number {
  const timeOf = (expiresAt: string | null) => (expiresAt === null ? Infinity : Date.parse(expiresAt));
  return Math.sign(timeOf(one.expiresAt) - timeOf(other.expiresAt)) || 0;
}

function decisionOf(proposal: Proposal, principal: string, mayDecide: boolean) {
  const code = mayDecide ? refusalCodeOf(() => checkDecision(proposal, principal)) : "insufficient_scope";
  return { allowed: code === null, code };
}
