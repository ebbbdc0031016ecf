import { Controller } from "@nestjs/common";
import { DigestEntries as DigestRequest } from "../../../contracts/messages/digests.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { digestEntryLines } from "./store/entry-lines.ts";

/** Answers the digest of a book's entries, so that two runs of a simulation can be compared. */
@Controller()
export class DigestEntries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  @HandlesRequest(DigestRequest)
  digest(_: object, { caller }: RequestContext): Promise<{ digest: string; count: number }> {
    return digestEntryLines(this.#database.sql, caller.book);
  }
}
