import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { errorCatalogue, Refusal } from "../../../contracts/errors.ts";
import type { BookId, ObligationId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { CreateRemittance } from "../../../contracts/messages/obligations.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { BatchByBook, type BookFilter } from "../../platform/handlers/batch-by-book.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { failedTicksOf } from "../../platform/observability/failed-ticks.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { RemittanceRequester, Obligation, Remittance } from "../book/obligation.ts";
import { payable } from "../book/obligation-history.ts";
import { readAccounts } from "../posting/store/accounts.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import {
  booksWithDueRequests,
  claimDueRequests,
  deleteIdempotencyKey,
  hasEventFor,
  readObligations,
  saveObligation,
} from "../posting/store/obligations.ts";

const intervalMs = 1_000;
const requestBatchSize = 20;
const maxBooksPerTick = 200;
/** Shorter than a caller's own timeout, so that the caller still gets the answer. */
const deadlineMs = 3_500;

/** An obligation with a chosen order whose hold is not decided yet. */
type RequestedObligation = Obligation & {
  readonly remittance: Remittance & { readonly requestedBy: RemittanceRequester };
};

/**
 * Requests the order of a remittance from the orders service until it answers: the order is created, or it is refused
 * and the obligation becomes payable again. Requests are idempotent, so a request without an answer is repeated.
 */
@Injectable()
export class RequestRemittanceOrders extends PollingWorker {
  readonly #units: UnitOfWorkRunner;
  readonly #database: Database;
  readonly #rpc: RpcClient;
  readonly #log: Logger;
  readonly #batches: BatchByBook<Obligation>;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(Database) database: Database,
    @Inject(RpcClient) rpc: RpcClient,
    @Inject(Metrics) metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    const name = "request-remittance-orders";
    super(name, intervalMs, () => this.requestOverdue(realTime()), log, failedTicksOf(metrics));
    this.#units = units;
    this.#database = database;
    this.#rpc = rpc;
    this.#log = log;
    const work = {
      process: ({ sql }: UnitOfWork, at: Date, filter: BookFilter) =>
        claimDueRequests(sql, at, requestBatchSize, filter),
      booksDue: (sql: Sql, at: Date, filter: BookFilter) =>
        booksWithDueRequests(sql, at, maxBooksPerTick, filter),
    };
    this.#batches = new BatchByBook(name, work, { units, database, metrics, log });
  }

  /**
   * Requests the order that an obligation waits for; returns at once if orders has it already. Throws the refusal of
   * orders if it is final: the obligation is then payable again. `idempotency_in_progress` if another request got that
   * refusal in the meantime; `service_unavailable` and `upstream_timeout` if the outcome is not known yet.
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
      "Another request for this remittance was just refused. Send your request again to get the reason.",
    );
  }

  /** Repeats the requests that are overdue at `now`, and returns their number. A slow answer delays no other. */
  async requestOverdue(now: Date): Promise<number> {
    const due = await this.#batches.run(now);
    await Promise.all(due.filter(isRequested).map((obligation) => this.#requestAgain(obligation)));
    return due.length;
  }

  async #requestAgain(obligation: RequestedObligation): Promise<void> {
    try {
      await this.#request(obligation);
    } catch (error) {
      const { book, id: obligationId } = obligation;
      this.#log.warn({ err: error, book, obligationId }, "a remittance order was not created");
    }
  }

  async #request(obligation: RequestedObligation): Promise<void> {
    const { book, id, payeeCounterpartyId, reference, remittance, makers } = obligation;
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
      makers: [...makers],
    };
    // The order's own id is the key, so that any number of requests by any instance create one order.
    const idempotency = { key: `remittance/${orderId}`, fingerprint: orderId };
    try {
      await this.#rpc.request(CreateRemittance, { caller: requestedBy.caller, idempotency }, data, {
        deadlineMs,
      });
    } catch (error) {
      if (!(error instanceof Refusal) || errorCatalogue[error.code].retryable) throw error;
      await this.#revertToPayable(obligation);
      // The errors of orders point at fields that are not in this caller's body.
      throw new Refusal(
        error.code,
        error.message,
        error.context === undefined ? {} : { context: error.context },
      );
    }
  }

  /**
   * Undoes a remittance that orders refused: the obligation is payable, and the caller's key is free for another try.
   */
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
