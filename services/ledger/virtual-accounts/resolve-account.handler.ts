import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, idOf, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ResolveLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { isVirtualNumber } from "../../../contracts/virtual-number.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { isSystem } from "../book/chart-of-accounts.ts";
import { type AccountPageRow, findAccount, findAccountByName } from "../accounts/store/accounts.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { findByNumbers } from "./store/virtual-accounts.ts";
import { VirtualAccountNumbers } from "./virtual-account-number.ts";

/** Finds the ledger account that a request names. */
@Controller()
export class ResolveAccount {
  readonly #database: Database;
  readonly #numbers: VirtualAccountNumbers;

  constructor(
    @Inject(Database) database: Database,
    @Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers,
  ) {
    this.#database = database;
    this.#numbers = numbers;
  }

  /**
   * `as` says whether it is named by id, by name, or by either; system accounts are found too. "Either" also accepts
   * the number of an Active virtual account. A number comes before a name: otherwise somebody could redirect payments
   * by giving an account the number of another one as its name. Refusals: `ledger_account_not_found`.
   */
  @HandlesRequest(ResolveLedgerAccount)
  async resolve(
    { nameOrId, as }: z.output<typeof ResolveLedgerAccount.data>,
    { caller }: RequestContext,
  ): Promise<z.output<typeof ResolveLedgerAccount.reply>> {
    const { row, byNumber } = await readTenantSnapshot(this.#database, caller.book, async (sql, book) => {
      const numbered =
        as === "Either" && isVirtualNumber(nameOrId)
          ? await this.#byNumber(sql, caller.book, nameOrId)
          : undefined;
      if (numbered !== undefined) return { row: numbered, byNumber: true };
      const byId =
        as !== "Name" && isId("la", nameOrId) ? await findAccount(sql, book, uuidOf(nameOrId)) : undefined;
      const found = byId ?? (as === "Id" ? undefined : await findAccountByName(sql, book, nameOrId));
      return { row: found, byNumber: false };
    });
    if (row === undefined) {
      throw new Refusal(
        "ledger_account_not_found",
        "Name a ledger account of this book, by its id or its exact name. Check the mode: Test and Live have accounts of their own.",
      );
    }
    return {
      ledgerAccountId: idOf("la", row.account_id),
      name: row.name,
      currency: row.currency,
      normalBalance: row.normal_balance,
      system: isSystem(row.class),
      byNumber,
    };
  }

  async #byNumber(sql: Sql, book: BookId, number: string): Promise<AccountPageRow | undefined> {
    const [owner] = await findByNumbers(sql, [{ book, hash: this.#numbers.hashOf(number) }]);
    if (owner === undefined) return undefined;
    if (owner.status === "Active") return findAccount(sql, uuidOf(book), uuidOf(owner.ledgerAccountId));
    throw new Refusal(
      "ledger_account_not_found",
      owner.status === "Disabled"
        ? "The virtual account of that number is Disabled. Enable it, or name its ledger account."
        : "The virtual account of that number is Closed and can't be opened again. Name a ledger account.",
    );
  }
}
