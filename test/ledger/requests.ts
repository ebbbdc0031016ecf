/** A tenant's requests to the ledger's handlers, without NATS. */
import { Refusal } from "../../contracts/errors.ts";
import {
  ledgerAccountCreate,
  ledgerEntryQuery,
  type LedgerAccount,
} from "../../contracts/http/ledger/ledger-accounts.ts";
import {
  type LedgerTransaction,
  ledgerTransactionBody,
  ledgerTransactionQuery,
} from "../../contracts/http/ledger/ledger-transactions.ts";
import { bookIdOf, newId, type TenantId, uuidOf } from "../../contracts/ids/ids.ts";
import { GetBalances, ListLedgerAccounts, ListLedgerEntries } from "../../contracts/messages/ledger.ts";
import { CloseAccount } from "../../services/ledger/accounts/close-account.handler.ts";
import { CreateAccount } from "../../services/ledger/accounts/create-account.handler.ts";
import { CreateTransaction } from "../../services/ledger/transactions/create-transaction.handler.ts";
import type { LedgerCommand } from "../../services/ledger/book/commands.ts";
import { PostVoidReverse } from "../../services/ledger/transactions/post-void-reverse.handler.ts";
import { QueryAccounts } from "../../services/ledger/accounts/query-accounts.handler.ts";
import { QueryTransactions } from "../../services/ledger/transactions/query-transactions.handler.ts";
import { ResolveAccount } from "../../services/ledger/virtual-accounts/resolve-account.handler.ts";
import { postJournals } from "../../services/ledger/posting/post-journals.ts";
import { type RequestContext, IdempotentReplay } from "../../services/platform/handlers/decorators.ts";
import type { TestUnits } from "../stack/database/units.ts";
import { someNumbers } from "./world.ts";

/** A request as the gateway passes it on. */
export function requestBy(by: TenantId, key?: string, fingerprint = "same"): RequestContext {
  const caller = {
    book: bookIdOf(by, "Test"),
    tenant: by,
    mode: "Test" as const,
    principal: "maker",
    requestId: newId("req"),
  };
  return {
    caller,
    correlationid: caller.requestId,
    idempotency: key === undefined ? undefined : { key, fingerprint },
  };
}

/** A debit and a credit of the same amount; accounts by id or name. */
export const paid = (from: string, to: string, cents: number) =>
  [
    [from, "Debit", cents],
    [to, "Credit", cents],
  ] as const;

/** The answer, new or replayed. */
export function valueOf<T>(answer: T | IdempotentReplay<T>): T {
  return answer instanceof IdempotentReplay ? answer.value : answer;
}

/** The code with which a request is refused. */
export async function codeOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return "nobody refused it";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

/** A new tenant and its requests. */
export class Tenant {
  readonly id = newId("ten");
  readonly book = bookIdOf(this.id, "Test");
  readonly reading: QueryAccounts;
  readonly resolving: ResolveAccount;
  readonly #units: TestUnits;
  /** One handler for all requests, as in the service: it batches requests that arrive together. */
  readonly #creating: CreateTransaction;

  /** One with two accounts. */
  static async withAccounts(units: TestUnits) {
    const tenant = new Tenant(units);
    const { id: payroll } = await tenant.creates("Payroll");
    const { id: savings } = await tenant.creates("Savings");
    return { tenant, payroll, savings };
  }

  constructor(units: TestUnits) {
    this.#units = units;
    this.#creating = new CreateTransaction(units.units);
    this.reading = new QueryAccounts(units.database);
    this.resolving = new ResolveAccount(units.database, someNumbers);
  }

  /** Creates an account; the stored answer for a replayed key. */
  async creates(name: string, more: object = {}, context = requestBy(this.id)): Promise<LedgerAccount> {
    const account = ledgerAccountCreate.parse({ name, ...more });
    return valueOf(await new CreateAccount(this.#units.units).create(account, context));
  }

  /** Closes an account. */
  async closes(id: string, context = requestBy(this.id)): Promise<LedgerAccount> {
    return valueOf(await new CloseAccount(this.#units.units).close({ id }, context));
  }

  /** Creates a manual transaction of `[account's id or name, direction, cents]` entries, by default Posted. */
  async moves(
    entries: readonly (readonly [string, "Debit" | "Credit", number])[],
    more: object = {},
    context = requestBy(this.id),
  ): Promise<LedgerTransaction> {
    const body = ledgerTransactionBody.parse({
      description: "By hand",
      entries: entries.map(([account, direction, amountCents]) => ({
        [account.startsWith("la_") ? "ledgerAccountId" : "ledgerAccountName"]: account,
        direction,
        amountCents,
      })),
      ...more,
    });
    return valueOf(await this.#creating.create(body, context));
  }

  async posts(id: string, effectiveAt?: string, context = requestBy(this.id)): Promise<LedgerTransaction> {
    return valueOf(await new PostVoidReverse(this.#units.units).post({ id, effectiveAt }, context));
  }

  async voids(id: string, context = requestBy(this.id)): Promise<LedgerTransaction> {
    return valueOf(await new PostVoidReverse(this.#units.units).void({ id }, context));
  }

  async reverses(id: string, description?: string, context = requestBy(this.id)): Promise<LedgerTransaction> {
    return valueOf(await new PostVoidReverse(this.#units.units).reverse({ id, description }, context));
  }

  transaction(id: string, context = requestBy(this.id)): Promise<LedgerTransaction> {
    return new QueryTransactions(this.#units.database).get({ id }, context);
  }

  transactions(query: object = {}, context = requestBy(this.id)) {
    return new QueryTransactions(this.#units.database).list(ledgerTransactionQuery.parse(query), context);
  }

  /** Posted, pending, pending inbound, available. */
  async balanceOf(id: string): Promise<number[]> {
    const account = await this.reading.get({ id }, requestBy(this.id));
    return [
      account.postedBalanceCents,
      account.pendingBalanceCents,
      account.pendingInboundCents,
      account.availableBalanceCents,
    ];
  }

  /** The refusal of a request. Throws if the request succeeds, or if the refusal has written anything. */
  async refusalBy(act: () => Promise<unknown>): Promise<Error> {
    const before = await this.#written();
    const refusal = await act().then(
      () => new Error("nobody refused it"),
      (error: Error) => error,
    );
    const after = await this.#written();
    if (after !== before) throw new Error(`a refusal has written: ${before} became ${after}`);
    return refusal;
  }

  /** The code of such a refusal. */
  async codeBy(act: () => Promise<unknown>): Promise<string> {
    return codeOf(Promise.reject(await this.refusalBy(act)));
  }

  /** The number of rows in every table that a write could change. */
  async #written(): Promise<string> {
    const rows = await this.#units.database.sql(
      `select (select last_seq::text from book_head where book_id = $1) as journals,
         (select count(*)::text from command where book_id = $1) as commands,
         (select count(*)::text from transaction_detail where book_id = $1) as details,
         (select count(*)::text from journal_note where book_id = $1) as notes,
         (select count(*)::text from account where book_id = $1 and closed_at is not null) as closed,
         (select count(*)::text from idempotency where book_id = $1) as answers`,
      [uuidOf(this.book)],
    );
    return JSON.stringify(rows);
  }

  /** Posts commands of the tenant's book as one batch. */
  writes(...commands: LedgerCommand[]) {
    const own = commands.map((command) =>
      "tenantId" in command ? { ...command, tenantId: this.id } : command,
    );
    return this.#units.units.run(({ sql }) =>
      postJournals(
        sql,
        own.map((command) => ({ book: this.book, command })),
      ),
    );
  }

  lists(query: object = {}) {
    return this.reading.list(ListLedgerAccounts.data.parse(query), requestBy(this.id));
  }

  entriesOf(ledgerAccountId: string, query: object = {}) {
    const data = { ledgerAccountId, query: ledgerEntryQuery.parse(query) };
    return this.reading.entries(ListLedgerEntries.data.parse(data), requestBy(this.id));
  }

  balances(query: object = {}) {
    return this.reading.balances(GetBalances.data.parse(query), requestBy(this.id));
  }
}

export const refused = (code: string) => ({ name: "Refusal", code });
