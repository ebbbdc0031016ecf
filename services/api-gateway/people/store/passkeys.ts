import { idOf, newId, type PasskeyId, type PersonId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A passkey as a verification needs it. */
export interface Passkey {
  readonly id: PasskeyId;
  /** The authenticator's own id, base64url. */
  readonly credentialId: string;
  /** COSE_Key (RFC 9052). */
  readonly publicKey: Buffer;
  /** How often the authenticator has signed, as it said last; 0 if it doesn't count. */
  readonly counter: number;
  readonly transports: readonly string[];
}

/** A passkey as its person sees it. */
export interface ShownPasskey {
  readonly id: PasskeyId;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

interface PasskeyRow {
  id: string;
  credential_id: string;
  public_key: Buffer;
  counter: string;
  transports: string[];
}

/** The passkeys that a person can use, oldest first; the person is locked, so that two can't both be the first. */
export async function lockPasskeysOf(sql: Sql, person: PersonId): Promise<Passkey[]> {
  await sql("select from person where id = $1 for no key update", [uuidOf(person)]);
  return listPasskeysOf(sql, person);
}

export async function listPasskeysOf(sql: Sql, person: PersonId): Promise<Passkey[]> {
  const rows = await sql<PasskeyRow>(
    `select id, credential_id, public_key, counter, transports
     from passkey
     where person_id = $1
       and removed_at is null
     order by id`,
    [uuidOf(person)],
  );
  return rows.map((row) => ({
    id: idOf("pky", row.id),
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: row.transports,
  }));
}

export async function listShownPasskeys(sql: Sql, person: PersonId): Promise<ShownPasskey[]> {
  const rows = await sql<{ id: string; name: string; created_at: Date; last_used_at: Date | null }>(
    `select id, name, created_at, last_used_at
     from passkey
     where person_id = $1
       and removed_at is null
     order by id`,
    [uuidOf(person)],
  );
  return rows.map(({ id, name, created_at, last_used_at }) => ({
    id: idOf("pky", id),
    name,
    createdAt: created_at,
    lastUsedAt: last_used_at,
  }));
}

/** Undefined if the authenticator is registered already, for whomever. */
export async function insertPasskey(
  sql: Sql,
  person: PersonId,
  name: string,
  passkey: Omit<Passkey, "id">,
): Promise<PasskeyId | undefined> {
  const id = newId("pky");
  const inserted = await sql(
    `insert into passkey (id, person_id, name, credential_id, public_key, counter, transports)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing
     returning id`,
    [
      uuidOf(id),
      uuidOf(person),
      name,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
    ],
  );
  return inserted.length > 0 ? id : undefined;
}

/** False if it has counted as far already: somebody has a copy of it, or two assertions came at once. */
export async function countUse(sql: Sql, id: PasskeyId, counter: number): Promise<boolean> {
  const counted = await sql(
    `update passkey
     set counter = $2,
         last_used_at = now()
     where id = $1
       and removed_at is null
       and ($2 > counter or ($2 = 0 and counter = 0))
     returning id`,
    [uuidOf(id), counter],
  );
  return counted.length > 0;
}

/** False if the person has no such passkey. */
export async function removePasskey(sql: Sql, person: PersonId, id: PasskeyId): Promise<boolean> {
  const removed = await sql(
    "update passkey set removed_at = now() where id = $1 and person_id = $2 and removed_at is null returning id",
    [uuidOf(id), uuidOf(person)],
  );
  return removed.length > 0;
}

/** Removes every passkey of a person. */
export async function removePasskeysOf(sql: Sql, person: PersonId): Promise<void> {
  await sql("update passkey set removed_at = now() where person_id = $1 and removed_at is null", [
    uuidOf(person),
  ]);
}
