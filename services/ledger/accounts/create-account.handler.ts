import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { LedgerAccount, LedgerAccountCreate } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateLedgerAccount } from "../../../contracts/messages/ledger.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { findTakenName, insertAccount, toLedgerAccount } from "./store/accounts.ts";
import { createBooks, hasBook, refuseFrozen } from "../posting/store/lock-books.ts";

/** Creates an account with a zero balance. The tenant's first account also creates the book. */
@Controller()
export class CreateAccount {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * Refusals: `name_taken` (also for the chart's names), `external_id_in_use`, `idempotency_key_reused`,
   * `service_unavailable` (the book is frozen).
   */
  @HandlesRequest(CreateLedgerAccount)
  create(
    account: LedgerAccountCreate,
    context: RequestContext,
  ): Promise<LedgerAccount | IdempotentReplay<LedgerAccount>> {
    return this.#units.runFor(context, (unit) => {
      const operation = { name: "create-account", resourceId: ({ id }: LedgerAccount) => id };
      return withIdempotency(unit, context, operation, () => openAccount(unit.sql, account, context));
    });
  }
}

async function openAccount(
  sql: Sql,
  account: LedgerAccountCreate,
  { caller }: RequestContext,
): Promise<LedgerAccount> {
  const { book, tenant, mode } = caller;
  await refuseFrozen(sql, book);
  if (!(await hasBook(sql, book))) await createBooks(sql, [{ book, tenantId: tenant, mode }]);
  const row = await insertAccount(sql, uuidOf(book), newUuid(), account);
  if (row !== undefined) return toLedgerAccount(row);
  // If both are taken the name is reported, because people see it.
  const taken = await findTakenName(sql, uuidOf(book), account.name);
  if (taken !== undefined) {
    throw new Refusal("name_taken", `This book has an account named ${taken}. Choose another name.`, {
      errors: [{ pointer: "/name", code: "name_taken", message: "is taken in this book" }],
    });
  }
  throw new Refusal(
    "external_id_in_use",
    "Another ledger account has this externalId. The list shows it if you filter by externalId. Choose another externalId, or none.",
    {
      errors: [{ pointer: "/externalId", code: "external_id_in_use", message: "is in use in this book" }],
    },
  );
}
