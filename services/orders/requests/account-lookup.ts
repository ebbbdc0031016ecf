import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { ResolveLedgerAccount } from "../../../contracts/messages/ledger.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { RpcClient } from "../../platform/rpc/client.ts";

export interface ResolvedAccount {
  readonly ledgerAccountId: LedgerAccountId;
  readonly name: string;
  readonly system: boolean;
  readonly normalBalance: "Credit" | "Debit";
  /** By a virtual account's number, which may be out of use the next time. */
  readonly byNumber: boolean;
}

/** How the field that names it speaks: an account may be named like another one's id. */
type As = "Id" | "Name" | "Either";

const maxCachedAccounts = 100_000;

/** Names and ids of accounts never change: what the ledger said once is kept. Closure is decided by the hold. */
@Injectable()
export class AccountLookup {
  readonly #requester: RpcClient;
  readonly #kept = new Map<string, ResolvedAccount>();

  constructor(@Inject(RpcClient) requester: RpcClient) {
    this.#requester = requester;
  }

  /**
   * A tenant-made, Credit-normal account. Refusals: `ledger_account_not_found`,
   * `system_account_not_postable`, `invalid_field` for a Debit-normal one.
   */
  async resolve(request: RequestContext, nameOrId: string, as: As, field: string): Promise<ResolvedAccount> {
    const key = `${request.caller.book}/${as}/${nameOrId}`;
    const account = this.#kept.get(key) ?? (await this.#askLedger(request, nameOrId, as));
    if (this.#kept.size >= maxCachedAccounts) this.#kept.clear();
    if (!account.byNumber) this.#kept.set(key, account);
    if (account.system) {
      throw new Refusal(
        "system_account_not_postable",
        "Only the service posts to this account. Name one of your own.",
        {
          errors: [
            { pointer: `/${field}`, code: "system_account_not_postable", message: "is the service's own" },
          ],
        },
      );
    }
    if (account.normalBalance === "Debit") {
      throw new Refusal("invalid_field", "Payment orders use Credit-normal accounts. Name one of those.", {
        errors: [{ pointer: `/${field}`, code: "invalid_field", message: "is a Debit-normal account" }],
      });
    }
    return account;
  }

  async #askLedger(request: RequestContext, nameOrId: string, as: As): Promise<ResolvedAccount> {
    const { value } = await this.#requester.ask(ResolveLedgerAccount, request, { nameOrId, as });
    return value;
  }
}
