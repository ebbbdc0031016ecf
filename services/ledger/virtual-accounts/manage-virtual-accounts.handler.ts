import { isDeepStrictEqual } from "node:util";
import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  VirtualAccount,
  VirtualAccountCreate,
  VirtualAccountPatch,
  VirtualAccountStatus,
} from "../../../contracts/http/ledger/virtual-accounts.ts";
import { patchedMetadata } from "../../../contracts/http/patched-metadata.ts";
import { isId, newId } from "../../../contracts/ids/ids.ts";
import {
  ChangeVirtualAccount,
  CreateVirtualAccount,
  UpdateVirtualAccount,
} from "../../../contracts/messages/virtual-accounts.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { rejectCounterparty } from "../accounts/named-counterparty.ts";
import { accountOf, postableAccount } from "../accounts/postable-account.ts";
import { decrypted, type EncryptedVirtualAccount, encryptedView } from "./query-virtual-accounts.handler.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import {
  findVirtualAccount,
  insertVirtualAccount,
  setVirtualAccountAnnotations,
  setVirtualAccountStatus,
} from "./store/virtual-accounts.ts";
import { VirtualAccountNumbers } from "./virtual-account-number.ts";

const statusAfter = { Disable: "Disabled", Enable: "Active", Close: "Closed" } as const;
type Action = keyof typeof statusAfter;

/** Creates virtual accounts, and disables, enables and closes them. */
@Controller()
export class ManageVirtualAccounts {
  readonly #rpc: RpcClient;
  readonly #units: UnitOfWorkRunner;
  readonly #numbers: VirtualAccountNumbers;

  constructor(
    @Inject(RpcClient) rpc: RpcClient,
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(VirtualAccountNumbers) numbers: VirtualAccountNumbers,
  ) {
    this.#rpc = rpc;
    this.#units = units;
    this.#numbers = numbers;
  }

  /** Refusals: those of `postableAccount`; `not_found` for an unknown counterparty, `counterparty_archived`;
   * `external_id_in_use`. */
  @HandlesRequest(CreateVirtualAccount)
  async create(body: VirtualAccountCreate, context: RequestContext) {
    // Before the transaction, so that nobody else waits for orders. A repeated request is answered even if this fails.
    const { counterpartyId: id } = body;
    const refusal =
      id === undefined
        ? null
        : await rejectCounterparty(this.#rpc, context, { id, pointer: "/counterpartyId" });
    return this.#answer(context, "create-virtual-account", (unit) => {
      if (refusal !== null) throw refusal;
      return this.#create(unit, body, context);
    });
  }

  /** Idempotent. Refusals: `not_found`; `invalid_state_transition` for one that is Closed. */
  @HandlesRequest(ChangeVirtualAccount)
  change({ id, action }: { id: string; action: Action }, context: RequestContext) {
    return this.#answer(context, `${action.toLowerCase()}-virtual-account`, (unit) =>
      changeStatus(unit, id, action, context),
    );
  }

  /**
   * Changes the description and the metadata, of a Closed one too. Refusals: `not_found`; `invalid_field` for more than
   * 50 pairs of metadata.
   */
  @HandlesRequest(UpdateVirtualAccount)
  update({ id, patch }: { id: string; patch: VirtualAccountPatch }, context: RequestContext) {
    return this.#answer(context, "update-virtual-account", (unit) => annotate(unit, id, patch, context));
  }

  /** The stored answer has the number encrypted; it is decrypted for each caller. */
  async #answer(
    context: RequestContext,
    name: string,
    write: (unit: UnitOfWork) => Promise<EncryptedVirtualAccount>,
  ): Promise<VirtualAccount | IdempotentReplay<VirtualAccount>> {
    const operation = { name, resourceId: ({ id }: EncryptedVirtualAccount) => id };
    const answer = await this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => write(unit)),
    );
    return answer instanceof IdempotentReplay
      ? new IdempotentReplay(decrypted(answer.value, this.#numbers))
      : decrypted(answer, this.#numbers);
  }

  async #create(
    unit: UnitOfWork,
    body: VirtualAccountCreate,
    context: RequestContext,
  ): Promise<EncryptedVirtualAccount> {
    const { book } = context.caller;
    const { ledgerAccountId: _id, ledgerAccountName: _name, counterpartyId, ...rest } = body;
    if (counterpartyId !== undefined && !isId("cp", counterpartyId)) throw counterpartyNotFound();
    await lockBooks(unit.sql, [book]);
    const account = await postableAccount(unit.sql, book, accountOf(body));
    const id = newId("va");
    const made = { ...rest, ...this.#numbers.make(), id, ledgerAccountId: account.id, counterpartyId };
    if (await insertVirtualAccount(unit.sql, book, made)) return encryptedView(unit.sql, book, id);
    throw new Refusal(
      "external_id_in_use",
      "Another virtual account has this externalId. The list shows it if you filter by externalId. Choose another externalId, or none.",
      { errors: [{ pointer: "/externalId", code: "external_id_in_use", message: "is in use in this book" }] },
    );
  }
}

const counterpartyNotFound = () => notFound("counterparty", "/counterpartyId");

async function annotate(
  unit: UnitOfWork,
  id: string,
  patch: VirtualAccountPatch,
  { caller }: RequestContext,
): Promise<EncryptedVirtualAccount> {
  const { book } = caller;
  if (!isId("va", id)) throw notFound("virtual account");
  await lockBooks(unit.sql, [book]);
  const found = await encryptedView(unit.sql, book, id);
  const { description: before = null } = found;
  const description = patch.description === undefined ? before : patch.description;
  const metadata = patchedMetadata(found.metadata, patch.metadata);
  if (description === before && isDeepStrictEqual(metadata, found.metadata)) return found;
  await setVirtualAccountAnnotations(unit.sql, book, id, { description, metadata });
  return encryptedView(unit.sql, book, id);
}

/** Locks the book's head, so that no payment is attributed while the status changes. */
async function changeStatus(
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
      "A Closed virtual account cannot be opened again. Create another one; it gets a new number.",
      { context: { currentStatus: found.status, allowedStatuses: ["Active", "Disabled"] } },
    );
  }
  if (found.status !== after) await setVirtualAccountStatus(unit.sql, book, id, after);
  return encryptedView(unit.sql, book, id);
}
