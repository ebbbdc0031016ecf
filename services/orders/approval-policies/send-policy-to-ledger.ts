import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { Refusal } from "../../../contracts/errors.ts";
import { ApplyTransactionPolicy } from "../../../contracts/messages/ledger-transactions.ts";
import { LOG } from "../../platform/platform.module.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { transactionPolicyOf } from "./replace-policy.ts";
import { readPolicy } from "./store/approval-policies.ts";

/** Long enough for a ledger that works, and shorter than the caller waits. */
const deadlineMs = 3_000;

/**
 * Sends the policy in force to the ledger before the caller gets its answer, so that it decides the transactions that
 * follow the answer. If the ledger does not answer, it gets the policy by the event that was committed with it.
 */
@Injectable()
export class SendPolicyToLedger {
  readonly #rpc: RpcClient;
  readonly #database: Database;
  readonly #log: Logger;

  constructor(
    @Inject(RpcClient) rpc: RpcClient,
    @Inject(Database) database: Database,
    @Inject(LOG) log: Logger,
  ) {
    this.#rpc = rpc;
    this.#database = database;
    this.#log = log;
  }

  /**
   * Refusals: `service_unavailable` if the policy requires something of ledger transactions and the ledger did not
   * confirm it. An answer says that the policy is in force; a repeated request sends it again.
   */
  async send(request: RequestContext): Promise<void> {
    const { caller, traceparent, deadline } = request;
    const inForce = await readPolicy(this.#database.sql, caller.book);
    if (inForce.version === 0) return;
    try {
      await this.#rpc.request(
        ApplyTransactionPolicy,
        { caller, traceparent, deadline },
        transactionPolicyOf(inForce),
        { deadlineMs },
      );
    } catch (error) {
      this.#log.warn(
        { err: error, requestId: caller.requestId },
        "the ledger did not answer: it gets the policy by the event",
      );
      if (inForce.policy.requireApprovalForLedgerTransactions) throw notYetInLedger();
    }
  }
}

function notYetInLedger(): Refusal {
  return new Refusal(
    "service_unavailable",
    "The policy is stored, and payment orders follow it. Ledger transactions may not follow it yet. Send the request again: once it succeeds, they do.",
  );
}
