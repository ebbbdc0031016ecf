import type { Sql } from "../../../platform/persistence/sql.ts";
import type { EncryptedSecret } from "./endpoints.ts";

/** Ids are stored `uuid`s. */
export interface SecretRow extends EncryptedSecret {
  readonly endpoint_id: string;
  /** Counts the endpoint's secrets from 1. */
  readonly version: number;
  readonly retires_at: Date | null;
}

/**
 * The secrets of a book's endpoints, newest first in each: those that are active at `activeAt`, or with null all of
 * them. Deleted endpoints have none.
 */
export function readSecrets(sql: Sql, book: string, activeAt: Date | null): Promise<SecretRow[]> {
  return sql<SecretRow>(
    `select s.endpoint_id, s.version, s.key_id as "keyId", s.ciphertext, s.retires_at
     from endpoint e
     join endpoint_secret s on s.endpoint_id = e.id
     where e.book_id = $1
       and e.deleted_at is null
       and ($2::timestamptz is null or s.retires_at is null or s.retires_at > $2)
     order by s.endpoint_id, s.version desc`,
    [book, activeAt],
  );
}
