import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, idOf, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Account } from "../book/account.ts";
import { isSystem } from "../book/chart-of-accounts.ts";
import { findAccountByName } from "./store/list-accounts.ts";
import { readAccounts } from "../posting/store/accounts.ts";

/** As a body names it: by one of the two. */
export interface AccountReference {
  readonly ledgerAccountId?: string | undefined;
  readonly ledgerAccountName?: string | undefined;
}

/**
 * The account that money of somebody shall go to: the tenant's own, Credit-normal and open. The head must be locked, or
 * it may close meanwhile. Refusals, at the field that names it: `missing_field`, `ledger_account_not_found`,
 * `system_account_not_postable`, `ledger_account_closed`, `invalid_field`.
 */
export async function postableAccount(sql: Sql, book: BookId, named: AccountReference): Promise<Account> {
  const { ledgerAccountId: id, ledgerAccountName: name } = named;
  const pointer = id === undefined ? "/ledgerAccountName" : "/ledgerAccountId";
  const refuse = (code: Refusal["code"], detail: string, message: string): never => {
    throw new Refusal(code, detail, { errors: [{ pointer, code, message }] });
  };
  if (id === undefined && name === undefined) {
    refuse("missing_field", "Name the account: send ledgerAccountName or ledgerAccountId.", "is required");
  }
  if (id !== undefined && name !== undefined) {
    refuse(
      "invalid_field",
      "Send ledgerAccountName or ledgerAccountId: one of the two.",
      "stands beside ledgerAccountName",
    );
  }
  const row = name === undefined ? undefined : await findAccountByName(sql, uuidOf(book), name);
  const found = row === undefined ? id : idOf("la", row.account_id);
  const [read] =
    found !== undefined && isId("la", found) ? await readAccounts(sql, [{ book, id: found }]) : [];
  if (read === undefined) {
    const detail = "Name a ledger account of this book, by its id or its exact name.";
    return refuse("ledger_account_not_found", detail, "is no account of this book");
  }
  const { account } = read;
  if (isSystem(account.class)) {
    const detail = "Only the service posts to this account. Name one of your own.";
    refuse("system_account_not_postable", detail, "is the service's own");
  }
  if (account.closed) {
    refuse("ledger_account_closed", `${account.name} is closed. Name an open account.`, "is closed");
  }
  if (account.normalBalance === "Debit") {
    const detail = "What comes in is owed to somebody. Name an account whose normalBalance is Credit.";
    refuse("invalid_field", detail, "is a Debit-normal account");
  }
  return account;
}
