import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { errorCatalogue, Refusal } from "../../../contracts/errors.ts";
import type { BookId, ObligationId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { CreateRemittance } from "../../../contracts/messages/obligations.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { RemittanceRequester, Obligation, Remittance } from "../book/obligation.ts";
import { payable } from "../book/obligation-history.ts";
import { readAccounts } from "../posting/store/accounts.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import {
  claimDueRequests,
  deleteIdempotencyKey,
  hasEventFor,
  readObligations,
  saveObligation,
} from "../posting/store/obligations.ts";

const intervalMs = 1_000;
const asksPerTurn = 20;
/** Less than a caller's own wait, so that it still hears what became of it. */
const deadlineMs = 3_500;

/** An obligation whose order is chosen, and of whose hold nothing is known yet. */
type RequestedObligation = Obligation & {
  readonly remittance: Remittance & { readonly requestedBy: RemittanceRequester };
};

/**
 * Asks orders for the order of a remittance until it knows: it is made, or it is refused and the obligation payable
 * again. Asking twice makes one order, so an answer that was lost is simply asked for again.
 */
@Injectable()
export class RequestRemittanceOrders extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #requester: RpcClient;
  readonly #log: Logger;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(RpcClient) requester: RpcClient,
    @Inject(LOG) log: Logger,
  ) {
    super("request-remittance-orders", intervalMs, () => this.requestOverdue(new Date()), log);
    this.#units = units;
    this.#database = database;
    this.#requester = requester;
    this.#log = log;
  }

  /**
   * Asks for the order that an obligation waits for; done at once where orders has it already. Throws the refusal of
   * orders when that is final: the obligation is payable again then. `idempotency_in_progress` where another caller was
   * told so meanwhile; `service_unavailable` and `upstream_timeout` where it is not known yet.
   */
  async requestOrder(book: BookId, id: ObligationId, orderId: PaymentOrderId): Promise<void> {
    const [obligation] = await readObligations(this.#database.sql, [{ book, id }]);
    if (obligation?.paymentOrderId === orderId) {
      if (isRequested(obligation)) await this.#request(obligation);
      return;
    }
    if (await hasEventFor(this.#database.sql, { book, id, orderId })) return;
    throw new Refusal(
      "idempotency_in_progress",
      "Another request was just told why this can't be paid. Send it again to be told too.",
    );
  }

  /** Asks again for those whose answer is overdue at `now`, and gives how many that were. */
  async requestOverdue(now: Date): Promise<number> {
    const due = await this.#units.run(({ sql }) => claimDueRequests(sql, now, asksPerTurn));
    for (const obligation of due.filter(isRequested)) {
      await this.#request(obligation).catch((error: unknown) => {
        this.#log.warn({ err: error, obligationId: obligation.id }, "a remittance was not made");
      });
    }
    return due.length;
  }

  async #request(obligation: RequestedObligation): Promise<void> {
    const { book, id, payeeCounterpartyId, reference, remittance } = obligation;
    const { requestedBy, orderId, amountCents, rail, fundingAccountId } = remittance;
    const [funding] = await readAccounts(this.#database.sql, [{ book, id: fundingAccountId }]);
    if (funding === undefined || payeeCounterpartyId === null) throw new Error(`${id} can't be remitted`);
    const data = {
      orderId,
      obligationId: id,
      reference,
      rail,
      amountCents,
      ledgerAccountId: fundingAccountId,
      ledgerAccountName: funding.account.name,
      counterpartyId: payeeCounterpartyId,
    };
    // The order's own id is the key: whoever asks, and however often.
    const idempotency = { key: `remittance/${orderId}`, fingerprint: orderId };
    try {
      await this.#requester.ask(CreateRemittance, { caller: requestedBy.caller, idempotency }, data, {
        deadlineMs,
      });
    } catch (error) {
      if (!(error instanceof Refusal) || errorCatalogue[error.code].retryable) throw error;
      await this.#revertToPayable(obligation);
      // What orders says of its own fields is not in the caller's body.
      throw new Refusal(
        error.code,
        error.message,
        error.context === undefined ? {} : { context: error.context },
      );
    }
  }

  /** Nothing remains of a remittance that orders refused: payable, and the caller's key free for another try. */
  async #revertToPayable({ book, id, remittance }: RequestedObligation): Promise<void> {
    await this.#units.run(async ({ sql }) => {
      await lockBooks(sql, [book]);
      const [obligation] = await readObligations(sql, [{ book, id }]);
      if (obligation?.paymentOrderId !== remittance.orderId || !isRequested(obligation)) return;
      const { idempotency } = remittance.requestedBy;
      await saveObligation(sql, payable(obligation), null);
      if (idempotency !== undefined) await deleteIdempotencyKey(sql, book, idempotency.key);
    });
  }
}

function isRequested(obligation: Obligation): obligation is RequestedObligation {
  return obligation.remittance !== null && obligation.remittance.requestedBy !== null;
}
