import { Controller, Inject } from "@nestjs/common";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { VirtualAccount, VirtualAccountQuery } from "../../../contracts/http/ledger/virtual-accounts.ts";
import { type BookId, idOf, isId, type VirtualAccountId } from "../../../contracts/ids/ids.ts";
import { GetVirtualAccount, ListVirtualAccounts } from "../../../contracts/messages/virtual-accounts.ts";
import { virtualRoutingNumber } from "../../../contracts/virtual-number.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { findVirtualAccount, listVirtualAccounts, type VirtualAccountRow } from "./store/virtual-accounts.ts";
import { VirtualAccountNumbers } from "./virtual-account-number.ts";

/** Virtual accounts of the caller's own book, with their numbers. */
@Controller()
export class QueryVirtualAccounts {
  readonly #database: Database;
  readonly #numbers: VirtualAccountNumbers;

  constructor(
    @Inject(Database) database: Database,
    @Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers,
  ) {
    this.#database = database;
    this.#numbers = numbers;
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetVirtualAccount)
  async get({ id }: { id: string }, { caller }: RequestContext): Promise<VirtualAccount> {
    if (!isId("va", id)) throw notFound("virtual account");
    const { book } = caller;
    return decrypted(
      await readTenantSnapshot(this.#database, book, (sql) => encryptedView(sql, book, id)),
      this.#numbers,
    );
  }

  /** Newest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListVirtualAccounts)
  async list(query: VirtualAccountQuery, { caller }: RequestContext): Promise<Page<VirtualAccount>> {
    const asked = { ...query, list: "virtual-accounts" };
    const page = { after: uuidAfter(asked), limit: query.limit };
    const filter = {
      ledgerAccountIds: query.ledgerAccountId,
      externalIds: query.externalId,
    };
    const rows = await readTenantSnapshot(this.#database, caller.book, (sql) =>
      listVirtualAccounts(sql, caller.book, filter, page),
    );
    const toItem = (row: VirtualAccountRow) => decrypted(encrypted(row), this.#numbers);
    return pageOfRows(rows, query.limit, toItem, (row) => row.virtual_account_id, asked);
  }
}

/** A virtual account with its number encrypted, as stored for idempotent repeats. */
export type EncryptedVirtualAccount = Omit<VirtualAccount, "accountNumber"> & {
  readonly encryptedNumber: { readonly keyId: string; readonly ciphertext: string };
};

/** Refusals: `not_found`. */
export async function encryptedView(
  sql: Sql,
  book: BookId,
  id: VirtualAccountId,
): Promise<EncryptedVirtualAccount> {
  const row = await findVirtualAccount(sql, book, id);
  if (row === undefined) throw notFound("virtual account");
  return encrypted(row);
}

export function decrypted(view: EncryptedVirtualAccount, numbers: VirtualAccountNumbers): VirtualAccount {
  const { encryptedNumber, ...rest } = view;
  return { ...rest, accountNumber: numbers.decrypt(encryptedNumber) };
}

function encrypted(row: VirtualAccountRow): EncryptedVirtualAccount {
  return {
    id: idOf("va", row.virtual_account_id),
    name: row.name,
    status: row.status,
    encryptedNumber: { keyId: row.key_id, ciphertext: row.ciphertext },
    routingNumber: virtualRoutingNumber,
    ledgerAccountId: idOf("la", row.ledger_account_id),
    ledgerAccountName: row.ledger_account_name,
    counterpartyId: row.counterparty_id === null ? null : idOf("cp", row.counterparty_id),
    externalId: row.external_id,
    description: row.description,
    metadata: row.metadata,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
