/** The ledger asked by a tenant of its own, without NATS: requests as the service's handlers get them. */
import {
  ledgerAccountCreate,
  ledgerEntryQuery,
  type LedgerAccount,
} from "../../contracts/http/ledger-accounts.ts";
import { bookIdOf, newId, type TenantId } from "../../contracts/ids.ts";
import { GetBalances, ListLedgerAccounts, ListLedgerEntries } from "../../contracts/messages/ledger.ts";
import { CreateAccount } from "../../services/ledger/create-account.ts";
import type { LedgerCommand } from "../../services/ledger/domain/command.ts";
import { ReadAccounts } from "../../services/ledger/read-accounts.ts";
import { writeJournals } from "../../services/ledger/write-journals.ts";
import { type Ask, Replayed } from "../../services/platform/messaging/decorators.ts";
import type { TestUnits } from "../stack/units.ts";

/** A request as the gateway passes it on. */
export function asked(by: TenantId, key?: string, fingerprint = "same"): Ask {
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

/** A tenant that nobody has heard of yet, and all that it may ask. */
export class Tenant {
  readonly id = newId("ten");
  readonly book = bookIdOf(this.id, "Test");
  readonly reading: ReadAccounts;
  readonly #units: TestUnits;

  constructor(units: TestUnits) {
    this.#units = units;
    this.reading = new ReadAccounts(units.database);
  }

  /** Creates an account; the stored answer for a replayed key. */
  async creates(name: string, more: object = {}, ask = asked(this.id)): Promise<LedgerAccount> {
    const account = ledgerAccountCreate.parse({ name, ...more });
    const answer = await new CreateAccount(this.#units.units).create(account, ask);
    return answer instanceof Replayed ? answer.value : answer;
  }

  /** Has commands of its own written as one batch. */
  writes(...commands: LedgerCommand[]) {
    const own = commands.map((command) =>
      "tenantId" in command ? { ...command, tenantId: this.id } : command,
    );
    return this.#units.units.run(({ sql }) =>
      writeJournals(
        sql,
        own.map((command) => ({ book: this.book, command })),
      ),
    );
  }

  lists(query: object = {}) {
    return this.reading.list(ListLedgerAccounts.data.parse(query), asked(this.id));
  }

  entriesOf(ledgerAccountId: string, query: object = {}) {
    const data = { ledgerAccountId, query: ledgerEntryQuery.parse(query) };
    return this.reading.entries(ListLedgerEntries.data.parse(data), asked(this.id));
  }

  balances(query: object = {}) {
    return this.reading.balances(GetBalances.data.parse(query), asked(this.id));
  }
}

export const refused = (code: string) => ({ name: "Refusal", code });
