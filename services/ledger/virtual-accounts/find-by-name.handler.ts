import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { FindAccountsByName } from "../../../contracts/messages/names.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { findAccountsByPrefix, findVirtualAccountsByPrefix } from "./store/names.ts";

/** Finds accounts of the caller's own book, and virtual accounts, by the start of their names. */
@Controller()
export class FindByName {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  @HandlesRequest(FindAccountsByName)
  async find(
    { prefix, limit }: z.output<typeof FindAccountsByName.data>,
    { caller }: RequestContext,
  ): Promise<z.input<typeof FindAccountsByName.reply>> {
    const { sql } = this.#database;
    const book = uuidOf(caller.book);
    const [accounts, virtualAccounts] = await Promise.all([
      findAccountsByPrefix(sql, book, prefix, limit),
      findVirtualAccountsByPrefix(sql, book, prefix, limit),
    ]);
    const view = ({ name, external_id: externalId, status, created_at: at }: (typeof accounts)[number]) => {
      return { name, externalId, status, createdAt: at.toISOString() };
    };
    return {
      accounts: accounts.map((row) => ({ id: idOf("la", row.id), ...view(row) })),
      virtualAccounts: virtualAccounts.map((row) => ({ id: idOf("va", row.id), ...view(row) })),
    };
  }
}
