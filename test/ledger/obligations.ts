/**
 * A tenant's obligations without NATS: orders is played by the test, which takes the orders that the ledger requests.
 */
import { pino } from "pino";
import { type ErrorCode, Refusal } from "../../contracts/errors.ts";
import {
  obligationAmend,
  obligationCreate,
  obligationPatch,
  obligationQuery,
  obligationRemit,
  type ObligationWithHistory,
} from "../../contracts/http/ledger/obligations.ts";
import { type BookId, bookIdOf, derivedUuid, type LedgerAccountId, newId } from "../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../contracts/message.ts";
import { GetCounterparty } from "../../contracts/messages/orders.ts";
import type { CreateRemittance } from "../../contracts/messages/obligations.ts";
import { RequestRemittanceOrders } from "../../services/ledger/obligations/request-remittance-orders.worker.ts";
import { CreateObligation } from "../../services/ledger/obligations/create-obligation.handler.ts";
import { balancesOf } from "../../services/ledger/book/account.ts";
import { chartAccountId, type ChartClass } from "../../services/ledger/book/chart-of-accounts.ts";
import type { HoldCommand, LedgerCommand } from "../../services/ledger/book/commands.ts";
import { FixObligation } from "../../services/ledger/obligations/fix-obligation.handler.ts";
import { proveBooks } from "../../services/ledger/audit/verify-book.ts";
import { QueryObligations } from "../../services/ledger/obligations/query-obligations.handler.ts";
import { RemitObligation } from "../../services/ledger/obligations/remit-obligation.handler.ts";
import { postingOf } from "./commands.ts";
import { readAccounts } from "../../services/ledger/posting/store/accounts.ts";
import { type CommandMessage, postCommands } from "../../services/ledger/posting/post-commands.consumer.ts";
import {
  type ObligationTarget,
  ObligationWriter,
} from "../../services/ledger/obligations/with-locked-obligation.ts";
import type { RequestContext } from "../../services/platform/handlers/decorators.ts";
import { Metrics } from "../../services/platform/observability/metrics.ts";
import type { RpcClient } from "../../services/platform/rpc/client.ts";
import type { TestUnits } from "../stack/database/units.ts";
import { requestBy, Tenant, valueOf } from "./requests.ts";
import type { z } from "zod";

type Order = z.output<(typeof CreateRemittance)["data"]>;

export const payee = newId("cp");

/** Two lines that come to 125.00, of a tax return in Oregon. */
export const taxReturn = (change: object = {}) =>
  obligationCreate.parse({
    type: "FuelTaxReturn",
    reference: "IFTA 2026-Q1",
    jurisdiction: "US-OR",
    period: "2026-Q1",
    payeeCounterpartyId: payee,
    lines: [line("Diesel, Oregon", 10_000), line("Gasoline, Oregon", 2_500)],
    ...change,
  });

export function line(description: string, amountCents: number, kind = "Actual") {
  return { description, amountCents, basis: { kind, source: "trip sheets" } };
}

/** An obligation by its id alone, or with the versions that If-Match allows. */
type Target = string | ObligationTarget;
const named = (target: Target): ObligationTarget => (typeof target === "string" ? { id: target } : target);

export class Filer {
  readonly tenant: Tenant;
  readonly book: BookId;
  readonly requests: RequestRemittanceOrders;
  /** When the payee was archived in orders. */
  payeeArchivedAt: string | null = null;
  /** What orders answers when it is asked for the payee, instead of the payee. */
  payeeRefusal: Refusal | null = null;
  /** How often orders was asked for the payee. */
  payeeRequests = 0;
  /** The requests that orders received, in order. */
  readonly ordered: Order[] = [];
  /** The next answers of orders that are not an order. */
  readonly #answers: Error[] = [];
  readonly #units: TestUnits;
  readonly #creating: CreateObligation;
  readonly #fixing: FixObligation;
  readonly #remitting: RemitObligation;
  readonly #reading: QueryObligations;

  constructor(units: TestUnits) {
    this.tenant = new Tenant(units);
    this.book = bookIdOf(this.tenant.id, "Test");
    this.#units = units;
    const rpc = {
      request: (type: unknown, _from: unknown, data: unknown) =>
        type === GetCounterparty ? this.#payee() : this.#order(data as Order),
    } as unknown as RpcClient;
    const writing = new ObligationWriter(units.units);
    this.requests = new RequestRemittanceOrders(
      units.units,
      units.database,
      rpc,
      new Metrics("ledger"),
      pino({ level: "silent" }),
    );
    this.#creating = new CreateObligation(units.units, units.database, writing, rpc);
    this.#fixing = new FixObligation(writing);
    this.#remitting = new RemitObligation(writing, this.requests);
    this.#reading = new QueryObligations(units.database);
  }

  /** One with 200.00 on an account named Operating, which refuses overdraft. */
  static async funded(units: TestUnits): Promise<FundedFiler> {
    const filer = new Filer(units);
    const operating = await filer.tenant.creates("Operating", { overdraft: "Refused" });
    const funds = await filer.tenant.creates("Funds");
    await filer.tenant.writes(postingOf([funds.id, "Debit", 20_000], [operating.id, "Credit", 20_000]));
    await units.takeMessages();
    return Object.assign(filer, { operating: operating.id });
  }

  /** Orders refuses the next remittance, or its answer is lost. */
  ordersAnswers(code: ErrorCode): void {
    this.#answers.push(new Refusal(code, `orders said ${code}`));
  }

  async creates(change: object = {}, context = this.contextOf()): Promise<ObligationWithHistory> {
    return valueOf(await this.#creating.create(taxReturn(change), context));
  }

  async fixed(change: object = {}): Promise<ObligationWithHistory> {
    return this.fixes((await this.creates(change)).id);
  }

  async fixes(target: Target, context = this.contextOf()): Promise<ObligationWithHistory> {
    return valueOf(await this.#fixing.fix(named(target), context));
  }

  async edits(target: Target, patch: object, context = this.contextOf()): Promise<ObligationWithHistory> {
    return valueOf(
      await this.#creating.edit({ ...named(target), patch: obligationPatch.parse(patch) }, context),
    );
  }

  async amends(target: Target, lines: object[], context = this.contextOf()): Promise<ObligationWithHistory> {
    const amendment = obligationAmend.parse({ lines });
    return valueOf(await this.#fixing.amend({ ...named(target), amendment }, context));
  }

  async remits(
    target: Target,
    change: object = {},
    context = this.contextOf(),
  ): Promise<ObligationWithHistory> {
    const remittance = obligationRemit.parse({
      rail: "Ach",
      fundingLedgerAccountName: "Operating",
      ...change,
    });
    return valueOf(await this.#remitting.remit({ ...named(target), remittance }, context));
  }

  reads(id: string, context = this.contextOf()): Promise<ObligationWithHistory> {
    return this.#reading.get({ id }, context);
  }

  lists(query: object = {}, context = this.contextOf()) {
    return this.#reading.list(obligationQuery.parse(query), context);
  }

  contextOf(key?: string, fingerprint?: string): RequestContext {
    return requestBy(this.tenant.id, key, fingerprint);
  }

  /** Posts commands as orders sends them, in one batch; the outcomes stay in the outbox. */
  receives(...commands: LedgerCommand[]): Promise<void> {
    const messages = commands.map(({ kind, ...data }) => ({
      id: newId("evt"),
      type: `ledger.${types[kind as keyof typeof types]}.v1`,
      time: new Date().toISOString(),
      book: this.book,
      subject: "orderId" in data ? data.orderId : "",
      correlationid: "spec",
      data,
    }));
    return this.#units.units.run((unit) => postCommands(unit, messages as unknown as CommandMessage[]));
  }

  /** What orders says of the payee. */
  #payee(): Promise<{ value: { archivedAt: string | null } }> {
    this.payeeRequests += 1;
    if (this.payeeRefusal !== null) return Promise.reject(this.payeeRefusal);
    return Promise.resolve({ value: { archivedAt: this.payeeArchivedAt } });
  }

  /** The hold command of an order, as orders sends it. */
  holdOf(order: Order, change: Partial<HoldCommand> = {}): HoldCommand {
    return {
      kind: "Hold",
      commandId: derivedUuid(order.orderId, "hold"),
      orderId: order.orderId,
      tenantId: this.tenant.id,
      mode: "Test",
      direction: "Credit",
      amountCents: order.amountCents,
      currency: "USD",
      ledgerAccountId: order.ledgerAccountId,
      contra: { kind: "Obligation", obligationId: order.obligationId },
      effectiveAt: at,
      ...change,
    };
  }

  /** The posted balances of these accounts, in cents. */
  posted(...of: readonly (LedgerAccountId | ChartClass)[]): Promise<number[]> {
    return Promise.all(of.map(async (id) => (await this.balanceOf(id)).posted));
  }

  /** A fixed obligation with the hold of its order placed. */
  async remitting(change: object = {}) {
    const { id } = await this.fixed(change);
    const { liabilityLedgerAccountId } = await this.remits(id);
    const order = this.ordered.at(-1);
    if (order === undefined || liabilityLedgerAccountId === null)
      throw new Error("orders received no request");
    await this.receives(this.holdOf(order));
    await this.#units.takeMessages();
    return { id, order, orderId: order.orderId, liability: liabilityLedgerAccountId };
  }

  /** The remittance events published since the last call. */
  async takePublished(): Promise<AnyMessage[]> {
    const messages = await this.#units.takeMessages();
    return messages.filter(({ type }) => type.startsWith("ledger.remittance-"));
  }

  /** The violations that a proof of the whole book finds. */
  async faults() {
    const [proof] = await this.#units.database.transaction(({ sql }) => proveBooks(sql, this.book));
    return proof?.violations;
  }

  /** An account's posted and pending balance, in cents. */
  async balanceOf(id: LedgerAccountId | ChartClass): Promise<{ posted: number; pending: number }> {
    const accountId = id.startsWith("la_")
      ? (id as LedgerAccountId)
      : chartAccountId(this.book, id as ChartClass);
    const [found] = await readAccounts(this.#units.database.sql, [{ book: this.book, id: accountId }]);
    if (found === undefined) throw new Error(`there is no ${id}`);
    const { posted, pending } = balancesOf(found.account.normalBalance, found.account.counters);
    return { posted: Number(posted), pending: Number(pending) };
  }

  #order(order: Order): Promise<object> {
    this.ordered.push(order);
    const answer = this.#answers.shift();
    if (answer !== undefined) return Promise.reject(answer);
    return Promise.resolve({ value: { id: order.orderId, status: "Submitted" }, replayed: false });
  }
}

const at = "2026-03-02T15:00:00.000Z";
const types = {
  Hold: "place-hold",
  Settle: "settle-hold",
  Release: "release-hold",
  LateReturn: "post-late-return",
} as const;

export type FundedFiler = Filer & { readonly operating: LedgerAccountId };
