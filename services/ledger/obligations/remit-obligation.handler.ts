import { Controller, Inject } from "@nestjs/common";
import type { ObligationWithHistory, obligationRemit } from "../../../contracts/http/ledger/obligations.ts";
import type { z } from "zod";
import { newId } from "../../../contracts/ids/ids.ts";
import { RemitObligation as RemitObligationRequest } from "../../../contracts/messages/obligations.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { RequestRemittanceOrders } from "./request-remittance-orders.worker.ts";
import {
  liabilityOf,
  type Obligation,
  type ObligationRejection,
  outstandingOf,
  rejectUnpayable,
} from "../book/obligation.ts";
import { postableAccount } from "../accounts/postable-account.ts";
import { readAccounts } from "../posting/store/accounts.ts";
import { saveObligation } from "../posting/store/obligations.ts";
import {
  isHistoryFull,
  refusalOf,
  type ObligationTarget,
  ObligationWriter,
} from "./with-locked-obligation.ts";

type Remittance = z.output<typeof obligationRemit>;

/** If orders does not answer, the request is repeated after this time. */
const retryAfterMs = 10_000;

/** The only way to pay an obligation: the ledger chooses the order, and the orders service creates exactly that one. */
@Controller()
export class RemitObligation {
  readonly #obligations: ObligationWriter;
  readonly #orders: RequestRemittanceOrders;

  constructor(
    @Inject(ObligationWriter) obligations: ObligationWriter,
    @Inject(RequestRemittanceOrders) orders: RequestRemittanceOrders,
  ) {
    this.#obligations = obligations;
    this.#orders = orders;
  }

  /**
   * Fixed → Remitting is committed with the order's id before orders gets the request, so that neither two callers nor
   * a crash can create two orders. Refusals: `not_found`, `precondition_failed`, `obligation_not_payable` (it is
   * Open, Remitting or Relieved, has no payee, or its history is full), `service_unavailable` (the book is frozen),
   * those of `postableAccount`, those of an order's submission. If orders refuses the order, the obligation is Fixed
   * again and the idempotency key is free.
   */
  @HandlesRequest(RemitObligationRequest)
  async remit(
    { remittance, ...target }: ObligationTarget & { remittance: Remittance },
    context: RequestContext,
  ): Promise<ObligationWithHistory | IdempotentReplay<ObligationWithHistory>> {
    const answer = await this.#obligations.run(
      target,
      context,
      "remit-obligation",
      async (obligation, { sql }) => {
        const reason = rejectUnpayable(obligation);
        if (reason !== null) throw refusalOf(reason);
        if (await isHistoryFull(sql, obligation, "remit")) throw refusalOf(fullHistoryOf(obligation));
        // The hold decides whether this account covers the amount.
        const funding = await postableAccount(sql, context.caller.book, {
          id: remittance.fundingLedgerAccountId,
          name: remittance.fundingLedgerAccountName,
          fields: { id: "fundingLedgerAccountId", name: "fundingLedgerAccountName" },
        });
        const orderId = newId("po");
        const remitting: Obligation = {
          ...obligation,
          status: "Remitting",
          paymentOrderId: orderId,
          remittance: {
            orderId,
            amountCents: await outstandingNow(sql, obligation),
            rail: remittance.rail,
            fundingAccountId: funding.id,
            requestedBy: {
              caller: context.caller,
              idempotency: context.idempotency,
              dueAt: new Date(realTime().getTime() + retryAfterMs).toISOString(),
            },
          },
        };
        await saveObligation(sql, remitting, null);
      },
    );
    const { id: remitted, paymentOrderId } = answer instanceof IdempotentReplay ? answer.value : answer;
    // Also for a repeated request: the first one may have died before it reached orders.
    if (paymentOrderId !== null)
      await this.#orders.requestOrder(context.caller.book, remitted, paymentOrderId);
    return answer;
  }
}

function fullHistoryOf({ status }: Obligation): ObligationRejection {
  return {
    code: "obligation_not_payable",
    detail: "Its history has more than 768 KiB, so no further payment of it can be recorded.",
    context: { currentStatus: status },
  };
}

async function outstandingNow(sql: Sql, { book, id }: Pick<Obligation, "book" | "id">): Promise<number> {
  const [found] = await readAccounts(sql, [{ book, id: liabilityOf(id) }]);
  if (found === undefined) throw new Error(`${id} has no liability account`);
  return Number(outstandingOf(found.account));
}
