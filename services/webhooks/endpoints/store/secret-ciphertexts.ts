import type { EncryptedColumn } from "../../../platform/encryption/reencrypt.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** All of them, also retired ones and those of deleted endpoints: afterwards no row needs an older key. */
export const signingSecrets: EncryptedColumn = {
  name: "signing secrets",
  async claim(sql, currentKeyId, [endpoint = belowAllUuids, version = "0"], limit) {
    const rows = await sql<{ endpoint_id: string; version: number; key_id: string; ciphertext: string }>(
      `select endpoint_id, version, key_id, ciphertext
       from endpoint_secret
       where (endpoint_id, version) > ($1::uuid, $2::int)
         and key_id <> $3
       order by endpoint_id, version
       limit $4
       for update skip locked`,
      [endpoint, version, currentKeyId, limit],
    );
    return rows.map((row) => ({
      key: [row.endpoint_id, String(row.version)],
      keyId: row.key_id,
      ciphertext: row.ciphertext,
    }));
  },
  async save(sql, secrets) {
    await sql(
      `update endpoint_secret s
       set key_id = n.key_id,
           ciphertext = n.ciphertext
       from unnest($1::uuid[], $2::int[], $3::text[], $4::text[]) as n (endpoint_id, version, key_id, ciphertext)
       where s.endpoint_id = n.endpoint_id
         and s.version = n.version`,
      [
        secrets.map(({ key }) => key[0]),
        secrets.map(({ key }) => key[1]),
        secrets.map(({ keyId }) => keyId),
        secrets.map(({ ciphertext }) => ciphertext),
      ],
    );
  },
};

/** How many signing secrets are encrypted with another key than the current one, by key. */
export function countSecretsOfOtherKeys(
  sql: Sql,
  currentKeyId: string,
): Promise<{ keyId: string; what: string; rows: number }[]> {
  return sql(
    `select key_id as "keyId", 'signing secrets' as what, count(*)::int as rows
     from endpoint_secret
     where key_id <> $1
     group by key_id
     order by key_id`,
    [currentKeyId],
  );
}
