import { isDeepStrictEqual } from "node:util";
import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { patchedMetadata } from "../../../contracts/http/patched-metadata.ts";
import type { LedgerAccount, LedgerAccountPatch } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { UpdateLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type IdempotentReplay,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { isSystem } from "../book/chart-of-accounts.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { type AccountPageRow, findAccount, setAnnotations, toLedgerAccount } from "./store/accounts.ts";

/** Changes an account's description and metadata, of a closed one too. Nothing else of an account changes. */
@Controller()
export class UpdateAccount {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * Refusals: `not_found`, `system_account_not_postable`, `invalid_field` for too much metadata, `service_unavailable`
   * (the book is frozen).
   */
  @HandlesRequest(UpdateLedgerAccount)
  update(
    { id, patch }: z.output<typeof UpdateLedgerAccount.data>,
    context: RequestContext,
  ): Promise<LedgerAccount | IdempotentReplay<LedgerAccount>> {
    const operation = { name: "update-account", resourceId: (account: LedgerAccount) => account.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => update(unit.sql, id, patch, context)),
    );
  }
}

async function update(
  sql: Sql,
  id: string,
  patch: LedgerAccountPatch,
  { caller }: RequestContext,
): Promise<LedgerAccount> {
  const book = uuidOf(caller.book);
  if (!isId("la", id)) throw notFound("ledger account");
  // The head first, as closing does: a trigger counts every change of an account there.
  await lockBooks(sql, [caller.book]);
  const row = await existing(sql, book, uuidOf(id));
  if (isSystem(row.class)) {
    throw new Refusal(
      "system_account_not_postable",
      `${row.name} is a system account and can't be changed. Name an account of your own.`,
    );
  }
  const description = patch.description === undefined ? row.description : patch.description;
  const metadata = patchedMetadata(row.metadata, patch.metadata);
  if (description === row.description && isDeepStrictEqual(metadata, row.metadata))
    return toLedgerAccount(row);
  await setAnnotations(sql, book, row.account_id, { description, metadata });
  return toLedgerAccount(await existing(sql, book, row.account_id));
}

async function existing(sql: Sql, book: string, id: string): Promise<AccountPageRow> {
  const row = await findAccount(sql, book, id);
  if (row === undefined) throw notFound("ledger account");
  return row;
}
