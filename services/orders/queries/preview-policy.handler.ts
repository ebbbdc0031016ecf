import { Controller, Inject } from "@nestjs/common";
import {
  type ApprovalPolicyPreview,
  type ApprovalPolicyPut,
  maxPreviewedOrders,
  maxPreviewEntries,
  type TouchedOrder,
} from "../../../contracts/http/payments/approval-policies.ts";
import { PreviewApprovalPolicy } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import { nextPolicy } from "../order/approval-policy.ts";
import { effectsOf, touchedBy } from "../order/policy-preview.ts";
import { listAwaitingHandOff } from "../store/orders-that-wait.ts";

/** Says what a PUT of an approval policy would change, and which waiting orders it would touch. Writes nothing. */
@Controller()
export class PreviewPolicy {
  readonly #database: Database;
  readonly #contexts: BookContexts;

  constructor(@Inject(Database) database: Database, @Inject(BookContexts) contexts: BookContexts) {
    this.#database = database;
    this.#contexts = contexts;
  }

  @HandlesRequest(PreviewApprovalPolicy)
  async preview(body: ApprovalPolicyPut, { caller }: RequestContext): Promise<ApprovalPolicyPreview> {
    const { book } = caller;
    const [contextOf, found] = await this.#database.read([], (sql) =>
      Promise.all([this.#contexts.of(sql, [book]), listAwaitingHandOff(sql, book, maxPreviewedOrders + 1)]),
    );
    const context = contextOf(caller);
    const next = nextPolicy(body, context.policy);
    const orders = found.slice(0, maxPreviewedOrders).map((order) => touchedBy(next, order, context));
    const now = context.now.toISOString();
    return {
      ...effectsOf(next, context.policy),
      policy: { ...next, dualApprovalRails: [...next.dualApprovalRails] },
      needMore: listOf(orders.filter(({ missing }) => missing.after > missing.before)),
      expireAtOnce: listOf(orders.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)),
      examined: orders.length,
      isComplete: found.length === orders.length,
    };
  }
}

function listOf(orders: TouchedOrder[]) {
  return { count: orders.length, data: orders.slice(0, maxPreviewEntries) };
}
