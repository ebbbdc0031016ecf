import { type ErrorCode, Refusal } from "../../../contracts/errors.ts";
import { type BookId, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Account } from "../book/account.ts";
import { rejectDebitNormal, type Rejection, rejectUnpostable } from "../book/rejections.ts";
import { readAccounts } from "../posting/store/accounts.ts";
import { findAccountIds } from "./store/accounts.ts";

/** An account as a request names it: by its id or by its name. */
export interface AccountReference {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The request's fields that `id` and `name` come from. */
  readonly fields: { readonly id: string; readonly name: string };
}

/** The reference of a request with the fields `ledgerAccountId` and `ledgerAccountName`. */
export const accountOf = (body: {
  readonly ledgerAccountId?: string | undefined;
  readonly ledgerAccountName?: string | undefined;
}): AccountReference => ({
  id: body.ledgerAccountId,
  name: body.ledgerAccountName,
  fields: { id: "ledgerAccountId", name: "ledgerAccountName" },
});

/**
 * The account that a request names, if a payment may use it: the tenant's own, open and Credit-normal. The book's head
 * must be locked, otherwise the account may be closed before the commit. Refusals, with a pointer to the field that
 * names the account: `missing_field`, `ledger_account_not_found`, `system_account_not_postable`,
 * `ledger_account_closed`, `invalid_field`.
 */
export async function postableAccount(sql: Sql, book: BookId, reference: AccountReference): Promise<Account> {
  const { id, name, fields } = reference;
  const field = id === undefined ? fields.name : fields.id;
  const refusal = (code: ErrorCode, detail: string, message: string) =>
    new Refusal(code, detail, { errors: [{ pointer: `/${field}`, code, message }] });
  if (id === undefined && name === undefined) {
    throw refusal("missing_field", `Send ${fields.name} or ${fields.id}.`, "is required");
  }
  if (id !== undefined && name !== undefined) {
    const detail = `Send either ${fields.name} or ${fields.id}, not both.`;
    throw refusal("invalid_field", detail, `can't be combined with ${fields.name}`);
  }
  const accountId = name === undefined ? id : (await findAccountIds(sql, uuidOf(book), [name])).get(name);
  const [found] =
    accountId !== undefined && isId("la", accountId)
      ? await readAccounts(sql, [{ book, id: accountId }])
      : [];
  const account = found?.account;
  const rejection = rejectUnpostable(account, name === undefined ? String(id) : `"${name}"`);
  if (rejection !== null) throw refusal(rejection.code, rejection.detail, messageOf(rejection));
  if (account === undefined)
    throw new TypeError(`${field} names an account that was neither found nor rejected`);
  const debitNormal = rejectDebitNormal(account);
  if (debitNormal !== null) throw refusal(debitNormal.code, debitNormal.detail, "is a Debit-normal account");
  return account;
}

function messageOf({ code }: Rejection): string {
  switch (code) {
    case "ledger_account_not_found":
      return "is not an account of this book";
    case "ledger_account_closed":
      return "is closed";
    default:
      return "is a system account";
  }
}
