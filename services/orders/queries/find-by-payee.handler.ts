import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { FindOrdersByPayee } from "../../../contracts/messages/names.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { findByPayee } from "./store/find-by-payee.ts";

/** Finds orders of the caller's book by the start of a payee's name that was typed in. */
@Controller()
export class FindByPayee {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  @HandlesRequest(FindOrdersByPayee)
  async find(
    { prefix, limit }: z.output<typeof FindOrdersByPayee.data>,
    { caller: { book } }: RequestContext,
  ): Promise<z.input<typeof FindOrdersByPayee.reply>> {
    return { data: await findByPayee(this.#database.sql, book, prefix.normalize(), limit) };
  }
}
