import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { ObligationWithHistory, obligationRemit } from "../../../contracts/http/ledger/obligations.ts";
import type { z } from "zod";
import { type BookId, idOf, isId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { RemitObligation as RemitObligationRequest } from "../../../contracts/messages/obligations.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { AskForRemittances } from "./request-remittance-orders.worker.ts";
import { isSystem } from "../book/chart-of-accounts.ts";
import { liabilityOf, type Obligation, outstandingOf, rejectUnpayable } from "../book/obligation.ts";
import { type AccountPageRow, findAccount, findAccountByName } from "../accounts/store/list-accounts.ts";
import { readAccounts } from "../posting/store/accounts.ts";
import { saveObligation } from "../posting/store/obligations.ts";
import { refusalOf, WriteObligation } from "./with-locked-obligation.ts";

type Remittance = z.output<typeof obligationRemit>;

/** An answer of orders that is lost is asked for again after this time; asking twice makes one order. */
const askAgainAfterMs = 10_000;

/** The only way to pay an obligation: the ledger chooses the order, and orders makes exactly that one. */
@Controller()
export class RemitObligation {
  readonly #obligations: WriteObligation;
  readonly #asking: AskForRemittances;

  constructor(
    @Inject(WriteObligation) obligations: WriteObligation,
    @Inject(AskForRemittances) asking: AskForRemittances,
  ) {
    this.#obligations = obligations;
    this.#asking = asking;
  }

  /**
   * Fixed → Remitting is committed with the order's id before orders hears of it, so that two callers, or a crash, never
   * make two orders. Refusals: `not_found`; `obligation_not_payable`, naming the order that pays it already; those of the
   * funding account; and every control of a submission: then it is Fixed again, and the key is free.
   */
  @HandlesRequest(RemitObligationRequest)
  async remit(
    { id, remittance }: { id: string; remittance: Remittance },
    ask: RequestContext,
  ): Promise<ObligationWithHistory | IdempotentReplay<ObligationWithHistory>> {
    const answer = await this.#obligations.run(id, ask, "remit-obligation", async (obligation, { sql }) => {
      const reason = rejectUnpayable(obligation);
      if (reason !== null) throw refusalOf(reason);
      const funding = await fundingAccount(sql, ask.caller.book, remittance);
      const orderId = newId("po");
      const remitting: Obligation = {
        ...obligation,
        status: "Remitting",
        paymentOrderId: orderId,
        remittance: {
          orderId,
          amountCents: await outstandingNow(sql, obligation),
          rail: remittance.rail,
          fundingAccountId: idOf("la", funding.account_id),
          requestedBy: {
            caller: ask.caller,
            idempotency: ask.idempotency,
            dueAt: new Date(Date.now() + askAgainAfterMs).toISOString(),
          },
        },
      };
      await saveObligation(sql, remitting, null);
    });
    const { id: remitted, paymentOrderId } = answer instanceof IdempotentReplay ? answer.value : answer;
    // Also for an answer that came before: its first caller may have died before orders was asked.
    if (paymentOrderId !== null) await this.#asking.ask(ask.caller.book, remitted, paymentOrderId);
    return answer;
  }
}

async function outstandingNow(sql: Sql, { book, id }: Pick<Obligation, "book" | "id">): Promise<number> {
  const [found] = await readAccounts(sql, [{ book, id: liabilityOf(id) }]);
  if (found === undefined) throw new Error(`${id} has no liability account`);
  return Number(outstandingOf(found.account));
}

/**
 * The tenant's own, Credit-normal and open account. Refusals: `ledger_account_not_found`, `system_account_not_postable`,
 * `invalid_field`, `ledger_account_closed`. Whether it covers the amount is decided with the hold.
 */
async function fundingAccount(sql: Sql, book: BookId, named: Remittance): Promise<AccountPageRow> {
  const { fundingLedgerAccountId: id, fundingLedgerAccountName: name } = named;
  const field = id === undefined ? "/fundingLedgerAccountName" : "/fundingLedgerAccountId";
  const refusal = (
    code:
      | "ledger_account_not_found"
      | "system_account_not_postable"
      | "ledger_account_closed"
      | "invalid_field",
    detail: string,
  ) => new Refusal(code, detail, { errors: [{ pointer: field, code, message: detail }] });
  const row =
    id === undefined
      ? await findAccountByName(sql, uuidOf(book), name ?? "")
      : isId("la", id)
        ? await findAccount(sql, uuidOf(book), uuidOf(id))
        : undefined;
  if (row === undefined) {
    throw refusal(
      "ledger_account_not_found",
      "Name a ledger account of this book, by its id or its exact name.",
    );
  }
  if (isSystem(row.class)) {
    throw refusal(
      "system_account_not_postable",
      "Only the service posts to this account. Name one of your own.",
    );
  }
  if (row.normal_balance === "Debit") {
    throw refusal("invalid_field", "Payment orders use Credit-normal accounts. Name one of those.");
  }
  if (row.closed_at !== null) {
    throw refusal("ledger_account_closed", `${row.name} is closed. Name an open account.`);
  }
  return row;
}
