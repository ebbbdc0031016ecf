import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { PaymentOrderPreview } from "../../../contracts/http/payments/payment-order-preview.ts";
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { CheckHold, GetLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { PreviewOrder as PreviewOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { Database } from "../../platform/persistence/database.ts";
import { DailyUsage } from "../order/daily-limit.ts";
import type { BookContext } from "../order/book-context.ts";
import { withCounterpartyDetails } from "../order/counterparty-snapshot.ts";
import type { OrderTerms } from "../order/payment-order.ts";
import { balancesBy, checkFunds } from "../order/preview.ts";
import { BuildDraft } from "../creation/build-draft.ts";
import { lookUpCounterparties } from "../creation/counterparty-lookup.ts";
import { readUsage } from "../store/daily-usage.ts";
import { Submission } from "../creation/submit.ts";
import { holdToCheck } from "../lifecycle/compose-commands.ts";
import { BookContexts } from "../lifecycle/book-context.ts";

type Body = z.output<(typeof PreviewOrderRequest)["data"]>;

/** Previews a payment order. It writes nothing, so it takes no Idempotency-Key. */
@Controller()
export class PreviewOrder {
  readonly #database: Database;
  readonly #drafts: BuildDraft;
  readonly #submission: Submission;
  readonly #contexts: BookContexts;
  readonly #rpc: RpcClient;

  constructor(
    @Inject(Database) database: Database,
    @Inject(BuildDraft) drafts: BuildDraft,
    @Inject(Submission) submission: Submission,
    @Inject(BookContexts) contexts: BookContexts,
    @Inject(RpcClient) rpc: RpcClient,
  ) {
    this.#database = database;
    this.#drafts = drafts;
    this.#submission = submission;
    this.#contexts = contexts;
    this.#rpc = rpc;
  }

  /**
   * Runs a submission up to the point where it would be written, without locks. Refusals: those of every control, and
   * those that the ledger would give for the hold, such as `insufficient_funds` and `balance_out_of_range`.
   */
  @HandlesRequest(PreviewOrderRequest)
  async preview(body: Body, request: RequestContext): Promise<PaymentOrderPreview> {
    const { caller } = request;
    const [draft, contextOf] = await Promise.all([
      this.#drafts.draft(body, request),
      this.#contexts.of(this.#database.sql, [caller.book]),
    ]);
    const context = contextOf(caller);
    const usedCents = await this.#usedToday(context, request);
    const counterparty = (await lookUpCounterparties(this.#database.sql, [draft]))(draft);
    const usage = new DailyUsage(usedCents === null ? [] : [[caller.book, BigInt(usedCents)]]);
    const { order } = this.#submission.submit(
      withCounterpartyDetails(draft, counterparty),
      { counterparty, principal: caller.principal },
      context,
      usage,
    );
    const {
      terms,
      progress: { approvals, estimate },
    } = order;
    const { own, payer } = await this.#accounts(terms, request);
    if (payer !== null) checkFunds(terms.amountCents, payer);
    await this.#rpc.request(CheckHold, request, holdToCheck(order));
    const { dailyLimitCents: limitCents } = context.policy;
    return {
      approvalsRequired: approvals.required,
      ...estimate,
      ledgerAccountId: own.id,
      balances: balancesBy(terms, own),
      dailyLimit: limitCents === null || usedCents === null ? null : { limitCents, usedCents },
    };
  }

  /** Null if the policy sets no limit. */
  async #usedToday({ now, policy }: BookContext, { caller }: RequestContext): Promise<number | null> {
    if (policy.dailyLimitCents === null) return null;
    return readUsage(this.#database.sql, caller.book, newYorkDate(now));
  }

  /** The order's own account, and the one whose money is held: null if the money is collected from a bank. */
  async #accounts(terms: OrderTerms, request: RequestContext) {
    const { ledgerAccountId, counterpartyLedgerAccountId: other, direction } = terms;
    const [own, counterparty] = await Promise.all([
      this.#account(ledgerAccountId, request),
      direction === "Debit" && other !== null ? this.#account(other, request) : null,
    ]);
    return { own, payer: direction === "Credit" ? own : counterparty };
  }

  async #account(id: LedgerAccountId, request: RequestContext) {
    return (await this.#rpc.request(GetLedgerAccount, request, { id })).value;
  }
}
