import { pipeline } from "../../../platform/persistence/pipeline.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A signing secret as it is stored: encrypted. */
export interface EncryptedSecret {
  readonly keyId: string;
  readonly ciphertext: string;
}

export interface ActiveSecretRow {
  readonly created_at: Date;
  /** Until when it signs; null for the newest. */
  readonly retires_at: Date | null;
}

/** A secret `s` that signs at the time `now`, a parameter. */
export const isActiveAt = (now: string) => `(s.retires_at is null or s.retires_at > ${now})`;

/** The secret that an endpoint was created with. */
export async function readFirstSecret(sql: Sql, endpointId: string): Promise<EncryptedSecret> {
  const [secret] = await sql<EncryptedSecret>(
    `select key_id as "keyId", ciphertext
     from endpoint_secret
     where endpoint_id = $1
       and version = 1`,
    [endpointId],
  );
  if (secret === undefined) throw new Error("the endpoint has no secret");
  return secret;
}

/** The secrets that are active at `now`, newest first. */
export function listActiveSecrets(sql: Sql, endpointId: string, now: Date): Promise<ActiveSecretRow[]> {
  return sql<ActiveSecretRow>(
    `select s.created_at, s.retires_at
     from endpoint_secret s
     where s.endpoint_id = $1
       and ${isActiveAt("$2")}
     order by s.version desc`,
    [endpointId, now],
  );
}

/**
 * Adds the newest secret of an endpoint that the caller has locked. Those that are active end at `retiresAt` at the
 * latest. Returns the active ones, newest first.
 */
export async function addSecret(
  sql: Sql,
  endpointId: string,
  secret: EncryptedSecret,
  { now, retiresAt }: { readonly now: Date; readonly retiresAt: Date },
): Promise<ActiveSecretRow[]> {
  const [, , active] = await pipeline(
    sql,
    (send) =>
      send(
        `update endpoint_secret s
         set retires_at = least(s.retires_at, $3)
         where s.endpoint_id = $1
           and ${isActiveAt("$2")}`,
        [endpointId, now, retiresAt],
      ),
    (send) =>
      send(
        `insert into endpoint_secret (endpoint_id, version, key_id, ciphertext, created_at)
         select $1, max(version) + 1, $2, $3, $4
         from endpoint_secret
         where endpoint_id = $1`,
        [endpointId, secret.keyId, secret.ciphertext, now],
      ),
    (send) => listActiveSecrets(send, endpointId, now),
  );
  return active;
}

/** Retires all active secrets but the newest, of an endpoint that the caller has locked. Returns how many. */
export async function retireOlderSecrets(sql: Sql, endpointId: string, now: Date): Promise<number> {
  const retired = await sql(
    `update endpoint_secret s
     set retires_at = $2
     where s.endpoint_id = $1
       and ${isActiveAt("$2")}
       and s.version < (select max(version) from endpoint_secret where endpoint_id = $1)
     returning s.version`,
    [endpointId, now],
  );
  return retired.length;
}

/** Ids are stored `uuid`s. */
export interface SecretRow extends EncryptedSecret {
  readonly endpoint_id: string;
  /** Counts the endpoint's secrets from 1. */
  readonly version: number;
  readonly retires_at: Date | null;
}

/** How many of an endpoint's secrets a diagnosis knows. Every rotation adds one, and they stay with the endpoint. */
const latestSecrets = 20;

const secretsOfBook = (condition: string) =>
  `select s.endpoint_id, s.version, s.key_id as "keyId", s.ciphertext, s.retires_at
   from endpoint e
   join endpoint_secret s on s.endpoint_id = e.id
   where e.book_id = $1
     and e.deleted_at is null
     and ${condition}
   order by s.endpoint_id, s.version desc`;

/** The secrets of a book's endpoints that are active at `now`, newest first in each. Deleted endpoints have none. */
export function readActiveSecrets(sql: Sql, book: string, now: Date): Promise<SecretRow[]> {
  return sql<SecretRow>(secretsOfBook(isActiveAt("$2")), [book, now]);
}

/**
 * The last 20 secrets of each of a book's endpoints, retired or not, newest first. All active ones are among them.
 * Deleted endpoints have none.
 */
export function readLatestSecrets(sql: Sql, book: string): Promise<SecretRow[]> {
  const newest = "(select max(n.version) from endpoint_secret n where n.endpoint_id = e.id)";
  return sql<SecretRow>(secretsOfBook(`s.version > ${newest} - $2`), [book, latestSecrets]);
}
