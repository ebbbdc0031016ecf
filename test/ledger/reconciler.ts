/** A ledger and its bank, for reconciliation tests. */
import pino from "pino";
import { newId, type PaymentOrderId } from "../../contracts/ids/ids.ts";
import type { ReconciliationReport } from "../../contracts/http/ledger/reconciliations.ts";
import {
  IssueStatement,
  ReadStatement,
  ReadStatementsAfter,
  type StatementPart,
} from "../../contracts/messages/bank-statements.ts";
import { CreateReconciliation } from "../../services/ledger/reconciliation/create-reconciliation.handler.ts";
import { FlagMissingStatements } from "../../services/ledger/reconciliation/flag-missing-statements.worker.ts";
import { StatementReconciler } from "../../services/ledger/reconciliation/reconcile-statement.ts";
import { toReport } from "../../services/ledger/reconciliation/reconciliation-view.ts";
import { ReceiveStatements } from "../../services/ledger/reconciliation/receive-statements.consumer.ts";
import { holdOf, sampleBook, sampleTenant, settlementOf } from "./commands.ts";
import { listRuns } from "../../services/ledger/reconciliation/store/list-runs.ts";
import { lastRun } from "../../services/ledger/reconciliation/store/reconciliations.ts";
import type { RequestContext } from "../../services/platform/handlers/decorators.ts";
import type { RpcClient } from "../../services/platform/rpc/client.ts";
import { Metrics } from "../../services/platform/observability/metrics.ts";
import { Bank, messagesOf } from "./bank.ts";
import { requestBy, valueOf } from "./requests.ts";
import { type LedgerWorld, openLedger } from "./world.ts";

const log = pino({ level: "silent" });

export class Reconciler {
  readonly world: LedgerWorld;
  readonly bank = new Bank();
  /** What the ledger asked the bank, in order. */
  readonly asked: string[] = [];
  readonly metrics = new Metrics("ledger");
  readonly #reconcile = new StatementReconciler(log, this.metrics);
  readonly #receive = new ReceiveStatements(this.#reconcile);

  private constructor(world: LedgerWorld) {
    this.world = world;
  }

  static async open(given = { hasBook: true }): Promise<Reconciler> {
    return new Reconciler(await openLedger(given));
  }

  close(): Promise<void> {
    return this.world.close();
  }

  /** An order of 300 cents that goes out and is held. */
  async held(cents = 300): Promise<PaymentOrderId> {
    const order = newId("po");
    await this.world.writes(holdOf(order, await this.world.opens(), cents));
    return order;
  }

  /** An order that has settled in the ledger, by default on 2 March. */
  async settled(effectiveAt = "2026-03-02T15:00:00.000Z"): Promise<PaymentOrderId> {
    const order = await this.held();
    await this.world.writes({ ...settlementOf(order), effectiveAt });
    return order;
  }

  /** The bank prints the next statement, and the ledger receives it. */
  async gets(...statement: Parameters<Bank["prints"]>): Promise<void> {
    await this.receives(...this.bank.prints(...statement));
  }

  /** The ledger receives the parts one after the other, each in its own transaction. */
  async receives(...parts: StatementPart[]): Promise<void> {
    for (const message of messagesOf(parts)) await this.receivesTogether([message]);
  }

  /** The ledger receives these parts in one transaction. */
  receivesTogether(messages: ReturnType<typeof messagesOf>): Promise<void> {
    return this.world.units.units.run((unit) => this.#receive.receive(messages, unit));
  }

  /** A tenant requests a run; `issue` is the bank's reaction, and returns the statement that it answers with. */
  async requestsRun(issue: () => Promise<StatementPart[]>, key?: string): Promise<ReconciliationReport> {
    const { units, database } = this.world.units;
    const answers = new Map<object, (wish: never) => unknown>([
      [IssueStatement, async () => (await issue())[0]],
      [ReadStatement, (wish: Parameters<Bank["reads"]>[0]) => this.bank.reads(wish)],
      [ReadStatementsAfter, (wish: Parameters<Bank["readsAfter"]>[0]) => this.bank.readsAfter(wish)],
    ]);
    const request = async (type: { type: string }, _context: RequestContext, wish: never) => {
      this.asked.push(type.type);
      return { value: await answers.get(type)?.(wish) };
    };
    const rpc = { request } as unknown as RpcClient;
    const creating = new CreateReconciliation(units, database, rpc, this.#reconcile);
    return valueOf(await creating.create({ date: undefined }, requestBy(sampleTenant, key)));
  }

  /** Runs FlagMissingStatements once, and returns the number of books that miss a statement. */
  misses(at: string): Promise<number> {
    return this.flagger().tick(new Date(at));
  }

  flagger(): FlagMissingStatements {
    const { units, database } = this.world.units;
    return new FlagMissingStatements(units, database, this.#reconcile, this.metrics, log);
  }

  /** The newest run. */
  async report(): Promise<ReconciliationReport | undefined> {
    const { sql } = this.world.units.database;
    const run = await lastRun(sql, sampleBook);
    return run === undefined ? undefined : toReport(sql, sampleBook, run);
  }

  /** Every run, newest first: `2026-03-02 Reconciled`. */
  async runs(): Promise<string[]> {
    const runs = await listRuns(this.world.units.database.sql, sampleBook, { before: "99", limit: 10 });
    return runs.map(({ date, status }) => `${date} ${status}`);
  }

  async countOf(table: string): Promise<number> {
    const [row] = await this.world.units.database.sql<{ count: bigint }>(
      `select count(*) as count from ${table}`,
    );
    return Number(row?.count);
  }
}
