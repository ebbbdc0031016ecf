import { Controller } from "@nestjs/common";
import { DigestOrders as DigestRequest } from "../../../contracts/messages/digests.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { digestOutcomes } from "./store/outcomes.ts";

/** Answers the digest of what a book's payment orders have come to: two runs of a simulation can be compared by it. */
@Controller()
export class DigestOrders {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  @HandlesRequest(DigestRequest)
  digest(_: object, { caller }: RequestContext): Promise<{ digest: string; count: number }> {
    return digestOutcomes(this.#database.sql, caller.book);
  }
}
