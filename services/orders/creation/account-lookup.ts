import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { ResolveLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { MustTravelAlone, type RequestContext } from "../../platform/handlers/decorators.ts";
import { RpcClient } from "../../platform/rpc/client.ts";

export interface ResolvedAccount {
  readonly ledgerAccountId: LedgerAccountId;
  readonly name: string;
  readonly system: boolean;
  readonly normalBalance: "Credit" | "Debit";
  /** Found by a virtual account's number. Not cached, because the number may be disabled later. */
  readonly byNumber: boolean;
}

/** What the text is. The caller must know, because an account's name can be another account's id. */
type As = "Id" | "Name" | "Either";

const maxCachedAccounts = 100_000;

/**
 * Looks up ledger accounts and caches them: their names and ids never change. Whether one is closed is decided when
 * the hold is placed.
 */
@Injectable()
export class AccountLookup {
  readonly #rpc: RpcClient;
  readonly #cached = new Map<string, ResolvedAccount>();

  constructor(@Inject(RpcClient) rpc: RpcClient) {
    this.#rpc = rpc;
  }

  /**
   * A tenant-made, Credit-normal account. Refusals: `ledger_account_not_found`,
   * `system_account_not_postable`, `invalid_field` for a Debit-normal one.
   */
  async resolve(request: RequestContext, nameOrId: string, as: As, field: string): Promise<ResolvedAccount> {
    const key = `${request.caller.book}/${as}/${nameOrId}`;
    const account = this.#cached.get(key) ?? (await this.#askLedger(request, nameOrId, as, field));
    if (this.#cached.size >= maxCachedAccounts) this.#cached.clear();
    if (!account.byNumber) this.#cached.set(key, account);
    if (account.system) {
      throw new Refusal(
        "system_account_not_postable",
        "This is a system account. Name one of your own accounts.",
        {
          errors: [
            { pointer: `/${field}`, code: "system_account_not_postable", message: "is a system account" },
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

  /** The ledger does not know which field of the order has the name, so its refusal gets the pointer here. */
  async #askLedger(
    request: RequestContext,
    nameOrId: string,
    as: As,
    field: string,
  ): Promise<ResolvedAccount> {
    if (request.isBatched === true) throw new MustTravelAlone();
    try {
      const { value } = await this.#rpc.request(ResolveLedgerAccount, request, { nameOrId, as });
      return value;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "ledger_account_not_found") throw error;
      const { code, message } = error;
      throw new Refusal(code, message, { errors: [{ pointer: `/${field}`, code, message }] });
    }
  }
}
