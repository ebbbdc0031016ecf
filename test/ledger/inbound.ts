/** A bank that reports inbound payments, the ledger that books them, and a tenant that reads them, without NATS. */
import { Refusal } from "../../contracts/errors.ts";
import { type InboundPayment, inboundPaymentQuery } from "../../contracts/http/ledger/inbound-payments.ts";
import type { VirtualAccount, VirtualAccountCreate } from "../../contracts/http/ledger/virtual-accounts.ts";
import { newId, newUuid, uuidOf } from "../../contracts/ids/ids.ts";
import type { Message } from "../../contracts/message.ts";
import { InboundReceived } from "../../contracts/messages/inbound.ts";
import { AssignInbound } from "../../services/ledger/inbound-payments/assign-inbound.handler.ts";
import { ReceiveInbound } from "../../services/ledger/inbound-payments/receive-inbound.consumer.ts";
import { QueryInboundPayments } from "../../services/ledger/inbound-payments/query-inbound.handler.ts";
import { QueryVirtualAccounts } from "../../services/ledger/virtual-accounts/query-virtual-accounts.handler.ts";
import { ManageVirtualAccounts } from "../../services/ledger/virtual-accounts/manage-virtual-accounts.handler.ts";
import type { RpcClient } from "../../services/platform/rpc/client.ts";
import { requestBy, Tenant, valueOf } from "./requests.ts";
import { type LedgerWorld, someNumbers, someCipher } from "./world.ts";

type InboundMessage = Message<typeof InboundReceived>;

/** A tenant with an account Deposits, and numbers that lead to it. */
export class Depositor {
  readonly tenant: Tenant;
  /** The tenant's only counterparty in orders. */
  counterpartyId = newId("cp");
  counterpartyArchivedAt: string | null = null;
  readonly writing: ManageVirtualAccounts;
  readonly numbers: QueryVirtualAccounts;
  readonly payments: QueryInboundPayments;
  readonly assigning: AssignInbound;
  readonly #ledger: LedgerWorld;
  readonly #attribution = new ReceiveInbound(someNumbers);

  private constructor(ledger: LedgerWorld) {
    const { units, database } = ledger.units;
    this.#ledger = ledger;
    this.tenant = new Tenant(ledger.units);
    this.writing = new ManageVirtualAccounts(this.#orders(), units, someNumbers);
    this.numbers = new QueryVirtualAccounts(database, someNumbers);
    this.payments = new QueryInboundPayments(database);
    this.assigning = new AssignInbound(units);
  }

  static async of(ledger: LedgerWorld): Promise<Depositor> {
    const depositor = new Depositor(ledger);
    await depositor.tenant.creates("Deposits");
    return depositor;
  }

  /** A journey makes this request over NATS (inbound-isolation.spec.ts). */
  #orders(): RpcClient {
    const request = (_type: unknown, _from: unknown, { id }: { id: string }) =>
      id === this.counterpartyId
        ? Promise.resolve({ value: { archivedAt: this.counterpartyArchivedAt }, replayed: false })
        : Promise.reject(new Refusal("not_found", "There is no such counterparty."));
    return { request } as unknown as RpcClient;
  }

  get context() {
    return requestBy(this.tenant.id);
  }

  async aNumber(more: Partial<VirtualAccountCreate> = {}): Promise<VirtualAccount> {
    const body = { name: "Blue Freight", ledgerAccountName: "Deposits", ...more };
    return valueOf(await this.writing.create(body, this.context));
  }

  async change({ id }: { id: string }, action: "Disable" | "Enable" | "Close"): Promise<VirtualAccount> {
    return valueOf(await this.writing.change({ id, action }, this.context));
  }

  /** The bank's message about 1,200.00 that somebody sent to a number. */
  sent(
    accountNumber: string,
    bankReference: string,
    change: Partial<InboundMessage["data"]> = {},
  ): InboundMessage {
    const { id, book } = this.tenant;
    const data = InboundReceived.data.parse({
      tenantId: id,
      mode: "Test",
      bankReference,
      rail: "Rtp",
      direction: "Credit",
      amountCents: 120_000,
      currency: "USD",
      originatorName: "Blue Freight LLC",
      accountNumber: someCipher.encrypt(accountNumber),
      occurredAt: "2026-03-02T15:00:00.000Z",
      ...change,
    });
    const about = { id: newUuid(), time: data.occurredAt, book, subject: bankReference };
    return { ...about, type: InboundReceived.type, correlationid: "req_1", data };
  }

  /** The ledger receives the messages as one batch, and commits. */
  receives(...messages: readonly InboundMessage[]): Promise<void> {
    return this.#ledger.units.units.run((unit) => this.#attribution.onReceived(messages, unit));
  }

  async received(filter: object = {}): Promise<InboundPayment[]> {
    return (await this.payments.list(inboundPaymentQuery.parse({ limit: 100, ...filter }), this.context))
      .data;
  }

  async theOnlyOne(): Promise<InboundPayment> {
    const [one, ...more] = await this.received();
    if (one === undefined || more.length > 0) throw new Error(`${String(more.length + 1)} payments, not one`);
    return one;
  }

  async assign({ id }: { id: string }, ledgerAccountName: string, key?: string): Promise<InboundPayment> {
    const context = requestBy(this.tenant.id, key);
    return valueOf(await this.assigning.assign({ id, assignment: { ledgerAccountName } }, context));
  }

  /** As somebody else, who may approve or not. */
  async assignsAs(
    principal: string,
    { id }: { id: string },
    ledgerAccountName: string,
    mayApprove = true,
    mayWrite = true,
  ): Promise<InboundPayment> {
    const { caller, ...context } = this.context;
    const request = { id, assignment: { ledgerAccountName }, mayApprove, mayWrite };
    return valueOf(await this.assigning.assign(request, { ...context, caller: { ...caller, principal } }));
  }

  /** Posted balances by the name of the account, each from its normal side; untouched ones are left out. */
  async posted(): Promise<Record<string, number>> {
    const { rows } = await this.#ledger.superuser.query<{ name: string; cents: string }>(
      `select a.name, (case a.normal_balance when 'Credit' then 1 else -1 end
         * (b.posted_credit - b.posted_debit))::text as cents
       from account a
       join account_balance b using (book_id, account_id)
       where a.book_id = $1
         and b.version > 0`,
      [uuidOf(this.tenant.book)],
    );
    return Object.fromEntries(rows.map(({ name, cents }) => [name, Number(cents)]));
  }

  /** Calls the service's own function, which closes only an empty account. */
  async closesLedgerAccount(name: string): Promise<void> {
    await this.#ledger.superuser.query(
      "select close_account(book_id, account_id) from account where book_id = $1 and name = $2",
      [uuidOf(this.tenant.book), name],
    );
  }
}
