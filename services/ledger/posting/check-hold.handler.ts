import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { newId, newUuid } from "../../../contracts/ids/ids.ts";
import { CheckHold as CheckHoldRequest } from "../../../contracts/messages/ledger.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Book } from "../book/book-state.ts";
import { chartAccountId } from "../book/chart-of-accounts.ts";
import { decide } from "../book/decide.ts";
import { readAccounts } from "./store/accounts.ts";
import { readTenantSnapshot } from "./store/tenant-snapshot.ts";

/** Decides a hold as it would be decided now, and places none. */
@Controller()
export class CheckHold {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Refusals: the rejections of `decideHold`, and those of the accounts' limits. */
  @HandlesRequest(CheckHoldRequest)
  async check(
    hold: z.output<typeof CheckHoldRequest.data>,
    { caller }: RequestContext,
  ): Promise<Record<string, never>> {
    const { book: id, tenant: tenantId, mode } = caller;
    const { ledgerAccountId, contra } = hold;
    const contraId =
      contra.kind === "LedgerAccount" ? contra.ledgerAccountId : chartAccountId(id, contra.kind);
    const keys = [...new Set([ledgerAccountId, contraId])].map((account) => ({ book: id, id: account }));
    const accounts = await readTenantSnapshot(this.#database, id, (sql) => readAccounts(sql, keys));
    const now = await readTimeIn(this.#database.sql, id);
    const book: Book = {
      id,
      lastSequence: 0,
      now,
      accounts: new Map(accounts.map(({ account }) => [account.id, account])),
      transactions: new Map(),
      outcomes: new Map(),
      obligations: new Map(),
      calendar: null,
    };
    const ids = { commandId: newUuid(), orderId: newId("po") };
    const effectiveAt = now.toISOString();
    const decision = decide(book, { kind: "Hold", ...hold, ...ids, tenantId, mode, effectiveAt });
    if (decision.kind !== "Refuse" || decision.outcome.result !== "Refused") return {};
    throw new Refusal(decision.outcome.code, decision.outcome.detail);
  }
}
