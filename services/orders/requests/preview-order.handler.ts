import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import type { PaymentOrderPreview } from "../../../contracts/http/payments/payment-orders.ts";
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { GetLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { PreviewOrder as PreviewOrderRequest } from "../../../contracts/messages/orders.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { Database } from "../../platform/persistence/database.ts";
import { begin } from "../order/transition.ts";
import { DailyUsage } from "../order/daily-limit.ts";
import type { World } from "../order/release-gate.ts";
import { namePayee } from "../order/payee.ts";
import type { FrozenFields } from "../order/payment-order.ts";
import { balancesBy, checkFunds } from "../order/preview.ts";
import { DraftOrder } from "./build-draft.ts";
import { payeesOf } from "./payee-lookup.ts";
import { readUsage } from "../store/daily-usage.ts";
import { Submission } from "./submit.ts";
import { Worlds } from "../lifecycle/book-context.ts";

type Body = z.output<(typeof PreviewOrderRequest)["data"]>;

/** Says what would become of an order. It writes nothing, so it takes no Idempotency-Key. */
@Controller()
export class PreviewOrder {
  readonly #database: Database;
  readonly #drafts: DraftOrder;
  readonly #submission: Submission;
  readonly #worlds: Worlds;
  readonly #requester: RpcClient;

  constructor(
    @Inject(Database) database: Database,
    @Inject(DraftOrder) drafts: DraftOrder,
    @Inject(Submission) submission: Submission,
    @Inject(Worlds) worlds: Worlds,
    @Inject(RpcClient) requester: RpcClient,
  ) {
    this.#database = database;
    this.#drafts = drafts;
    this.#submission = submission;
    this.#worlds = worlds;
    this.#requester = requester;
  }

  /**
   * Runs a submission to the point where it would be written. Refusals: every control's, and what the ledger would
   * refuse the hold for: `insufficient_funds`, `balance_out_of_range`.
   */
  @HandlesRequest(PreviewOrderRequest)
  async preview(body: Body, ask: RequestContext): Promise<PaymentOrderPreview> {
    const { caller } = ask;
    const [draft, worldOf] = await Promise.all([
      this.#drafts.draft(body, ask),
      this.#worlds.of(this.#database.sql, [caller.book]),
    ]);
    const world = worldOf(caller);
    const usedCents = await this.#usedToday(world, ask);
    const advance = begin(draft);
    namePayee(advance, (await payeesOf(this.#database.sql, [draft]))(draft));
    const usage = new DailyUsage(usedCents === null ? [] : [[caller.book, BigInt(usedCents)]]);
    this.#submission.submit(advance, caller.principal, world, usage);
    const { frozen, progress } = advance.order;
    const { own, payer } = await this.#accounts(frozen, ask);
    if (payer !== null) checkFunds(frozen.amountCents, payer);
    const { dailyLimitCents: limitCents } = world.policy;
    return {
      approvalsRequired: progress.approvalsRequired,
      cutoff: progress.cutoff,
      expectedSettlementDate: progress.expectedSettlementDate,
      ledgerAccountId: own.id,
      balances: balancesBy(frozen, own),
      dailyLimit: limitCents === null || usedCents === null ? null : { limitCents, usedCents },
    };
  }

  /** Null where the policy sets no limit. */
  async #usedToday({ now, policy }: World, { caller }: RequestContext): Promise<number | null> {
    if (policy.dailyLimitCents === null) return null;
    return readUsage(this.#database.sql, caller.book, newYorkDate(now));
  }

  /** The order's own account, and the one whose money is held: none of ours where a bank's is collected. */
  async #accounts(frozen: FrozenFields, ask: RequestContext) {
    const { ledgerAccountId, counterpartyLedgerAccountId: other, direction } = frozen;
    const [own, counterparty] = await Promise.all([
      this.#account(ledgerAccountId, ask),
      direction === "Debit" && other !== null ? this.#account(other, ask) : null,
    ]);
    return { own, payer: direction === "Credit" ? own : counterparty };
  }

  async #account(id: LedgerAccountId, ask: RequestContext) {
    return (await this.#requester.ask(GetLedgerAccount, ask, { id })).value;
  }
}
