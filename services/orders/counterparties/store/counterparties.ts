import { type EntityManager, LockMode } from "@mikro-orm/postgresql";
import type { z } from "zod";
import { Refusal } from "../../../../contracts/errors.ts";
import type { counterpartyQuery } from "../../../../contracts/http/payments/counterparties.ts";
import { type BookId, type CounterpartyId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { spellingsOf } from "../../../../contracts/text/text.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import type { Counterparty } from "../../order/counterparty.ts";
import { AccountEntity, CounterpartyEntity } from "./counterparty.entity.ts";

/** A counterparty is found in its own book only. */
export interface CounterpartyKey {
  readonly book: BookId;
  readonly id: CounterpartyId;
}

const keyOf = ({ book, id }: CounterpartyKey) => ({ book: uuidOf(book), id: uuidOf(id) });

function toCounterparty(entity: CounterpartyEntity): Counterparty {
  return {
    ...entity,
    book: idOf("book", entity.book),
    id: idOf("cp", entity.id),
    accounts: entity.accounts.map(({ rail, accountNumber, routingNumber, accountType }) => ({
      rail,
      accountNumber: { ...accountNumber },
      routingNumber,
      accountType,
    })),
  };
}

export async function findCounterparty(
  em: EntityManager,
  key: CounterpartyKey,
): Promise<Counterparty | undefined> {
  const entity = await em.findOne(CounterpartyEntity, keyOf(key), {
    populate: ["accounts"],
    strategy: "joined",
  });
  return entity === null ? undefined : toCounterparty(entity);
}

/**
 * A page of the book's counterparties, newest first, with one more than `limit` if there are more. Accounts are read
 * by a second statement, so call this in one snapshot. A join would read and sort every row of the book.
 */
export async function listCounterparties(
  em: EntityManager,
  book: BookId,
  { externalId, name, verificationStatus, archived = false, limit }: z.output<typeof counterpartyQuery>,
  afterUuid: string | null,
): Promise<Counterparty[]> {
  const found = await em.find(
    CounterpartyEntity,
    {
      book: uuidOf(book),
      id: { $lt: afterUuid ?? aboveAllUuids },
      archivedAt: archived ? { $ne: null } : null,
      ...(externalId === undefined ? {} : { externalId: { $in: externalId } }),
      // The condition of the two partial indexes.
      ...(name === undefined
        ? {}
        : { name: { $in: name.flatMap((each) => [...spellingsOf(each)]) }, version: { $gt: 0 } }),
      ...(verificationStatus === undefined
        ? {}
        : { verificationStatus: { $in: verificationStatus }, version: { $gt: 0 } }),
    },
    { populate: ["accounts"], orderBy: { id: "desc" }, limit: limit + 1 },
  );
  return found.map(toCounterparty);
}

/** Inserts a counterparty with its accounts. Refusals: `external_id_in_use`. */
export async function insertCounterparty(em: EntityManager, counterparty: Counterparty): Promise<void> {
  const { accounts, version: _first, ...fields } = counterparty;
  const entity = em.create(CounterpartyEntity, {
    ...fields,
    ...keyOf(counterparty),
    detailsEnteredBy: [...fields.detailsEnteredBy],
    editorsBeforeVerification: [...fields.editorsBeforeVerification],
  });
  setAccounts(em, entity, accounts);
  await flush(em);
}

/**
 * Locks one counterparty and saves the result of `change`; undefined if the book has no such counterparty. Its accounts
 * are read after the lock: a statement that waited for the lock would return them as they were before the wait.
 * Refusals: `external_id_in_use`.
 */
export async function updateCounterparty(
  em: EntityManager,
  key: CounterpartyKey,
  change: (counterparty: Counterparty) => Counterparty | Promise<Counterparty>,
): Promise<Counterparty | undefined> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const entity = await em.findOne(CounterpartyEntity, keyOf(key), { populate: ["accounts"], lockMode });
  if (entity === null) return undefined;
  const before = toCounterparty(entity);
  const { book: _book, id: _id, version: _version, accounts, ...fields } = await change(before);
  em.assign(entity, {
    ...fields,
    detailsEnteredBy: [...fields.detailsEnteredBy],
    editorsBeforeVerification: [...fields.editorsBeforeVerification],
  });
  if (accounts !== before.accounts) setAccounts(em, entity, accounts);
  await flush(em);
  return toCounterparty(entity);
}

/**
 * Changes a rail's account in place: a new entity with the key of a loaded one would lose some of its fields.
 */
function setAccounts(
  em: EntityManager,
  counterparty: CounterpartyEntity,
  accounts: Counterparty["accounts"],
) {
  const before = new Map(counterparty.accounts.map((account) => [account.rail, account]));
  counterparty.accounts.set(
    accounts.map((account, position) => {
      const existing = before.get(account.rail);
      return existing === undefined
        ? em.create(AccountEntity, { ...account, counterparty, position })
        : em.assign(existing, { ...account, position });
    }),
  );
}

async function flush(em: EntityManager): Promise<void> {
  try {
    await em.flush();
  } catch (error) {
    throw isExternalIdTaken(error) ? externalIdInUse() : error;
  }
}

function isExternalIdTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === "counterparty_external_id";
}

function externalIdInUse(): Refusal {
  const detail =
    "Another counterparty has this externalId. The list shows it if you filter by externalId, an archived one only with archived=true. Choose another externalId, or none.";
  return new Refusal("external_id_in_use", detail, {
    errors: [{ pointer: "/externalId", code: "external_id_in_use", message: "is in use in this book" }],
  });
}
