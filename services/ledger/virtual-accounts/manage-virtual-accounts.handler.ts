import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  VirtualAccount,
  VirtualAccountCreate,
  VirtualAccountStatus,
} from "../../../contracts/http/ledger/virtual-accounts.ts";
import { isId, newId } from "../../../contracts/ids/ids.ts";
import { GetCounterparty } from "../../../contracts/messages/orders.ts";
import { ChangeVirtualAccount, CreateVirtualAccount } from "../../../contracts/messages/inbound.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { accountOf, postableAccount } from "../accounts/postable-account.ts";
import { decrypted, type EncryptedVirtualAccount, encryptedView } from "./query-virtual-accounts.handler.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import {
  findVirtualAccount,
  insertVirtualAccount,
  setVirtualAccountStatus,
} from "./store/virtual-accounts.ts";
import { VirtualAccountNumbers } from "./virtual-account-number.ts";

const statusAfter = { Disable: "Disabled", Enable: "Active", Close: "Closed" } as const;
type Action = keyof typeof statusAfter;

/** Gives out numbers that lead to a ledger account, and takes them out of use. */
@Controller()
export class ManageVirtualAccounts {
  readonly #requester: RpcClient;
  readonly #units: UnitOfWorkRunner;
  readonly #numbers: VirtualAccountNumbers;

  constructor(
    @Inject(RpcClient) requester: RpcClient,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers,
  ) {
    this.#requester = requester;
    this.#units = units;
    this.#numbers = numbers;
  }

  /** Refusals: those of `postableAccount`; `not_found` for a counterparty that orders has not; `external_id_in_use`. */
  @HandlesRequest(CreateVirtualAccount)
  async create(body: VirtualAccountCreate, ask: RequestContext) {
    // Before the transaction: only its own caller waits for orders. A known key is answered all the same.
    const refusal = await this.#whyNoCounterparty(body.counterpartyId, ask);
    return this.#answer(ask, "create-virtual-account", (unit) => {
      if (refusal !== null) throw refusal;
      return this.#open(unit, body, ask);
    });
  }

  /** What it is already, it stays. Refusals: `not_found`; `invalid_state_transition` for one that is Closed. */
  @HandlesRequest(ChangeVirtualAccount)
  change({ id, action }: { id: string; action: Action }, ask: RequestContext) {
    return this.#answer(ask, `${action.toLowerCase()}-virtual-account`, (unit) =>
      changed(unit, id, action, ask),
    );
  }

  /** The answer that is kept for a repeat has the number sealed: it is opened on the way out. */
  async #answer(
    ask: RequestContext,
    name: string,
    write: (unit: UnitOfWork) => Promise<EncryptedVirtualAccount>,
  ): Promise<VirtualAccount | IdempotentReplay<VirtualAccount>> {
    const operation = { name, resourceId: ({ id }: EncryptedVirtualAccount) => id };
    const answer = await this.#units.run((unit) => withIdempotency(unit, ask, operation, () => write(unit)));
    return answer instanceof IdempotentReplay
      ? new IdempotentReplay(decrypted(answer.value, this.#numbers))
      : decrypted(answer, this.#numbers);
  }

  async #open(
    unit: UnitOfWork,
    body: VirtualAccountCreate,
    ask: RequestContext,
  ): Promise<EncryptedVirtualAccount> {
    const { book } = ask.caller;
    const { ledgerAccountId: _id, ledgerAccountName: _name, ...rest } = body;
    await lockBooks(unit.sql, [book]);
    const account = await postableAccount(unit.sql, book, accountOf(body));
    const id = newId("va");
    const made = { ...rest, ...this.#numbers.make(), id, ledgerAccountId: account.id };
    if (await insertVirtualAccount(unit.sql, book, made)) return encryptedView(unit.sql, book, id);
    throw new Refusal(
      "external_id_in_use",
      "Another virtual account has this externalId. Choose another, or none.",
      { errors: [{ pointer: "/externalId", code: "external_id_in_use", message: "is in use in this book" }] },
    );
  }

  /** Null where orders has it in the caller's book, or where none is named. */
  async #whyNoCounterparty(id: string | undefined, ask: RequestContext): Promise<Refusal | null> {
    if (id === undefined) return null;
    try {
      await this.#requester.ask(GetCounterparty, ask, { id });
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.code === "not_found" ? notFound("counterparty", "/counterpartyId") : error;
    }
  }
}

/** Under the head's lock, so that no payment is attributed by a status that is just going. */
async function changed(
  unit: UnitOfWork,
  id: string,
  action: Action,
  { caller }: RequestContext,
): Promise<EncryptedVirtualAccount> {
  const { book } = caller;
  if (!isId("va", id)) throw notFound("virtual account");
  await lockBooks(unit.sql, [book]);
  const found = await findVirtualAccount(unit.sql, book, id);
  if (found === undefined) throw notFound("virtual account");
  const after: VirtualAccountStatus = statusAfter[action];
  if (found.status === "Closed" && after !== "Closed") {
    throw new Refusal(
      "invalid_state_transition",
      "The virtual account is Closed, for ever. Make another one; its number will be new.",
      { context: { currentStatus: found.status, allowedStatuses: ["Active", "Disabled"] } },
    );
  }
  if (found.status !== after) await setVirtualAccountStatus(unit.sql, book, id, after);
  return encryptedView(unit.sql, book, id);
}
