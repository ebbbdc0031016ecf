import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { EncryptedColumn } from "../../../platform/encryption/reencrypt.ts";

/** Re-encrypting leaves the numbers' hash unchanged: it has a key of its own. */
export const numbersOfVirtualAccounts: EncryptedColumn = {
  name: "numbers of virtual accounts",
  async claim(sql, currentKeyId, [book = belowAllUuids, id = belowAllUuids], limit) {
    const rows = await sql<{
      book_id: string;
      virtual_account_id: string;
      key_id: string;
      ciphertext: string;
    }>(
      `select book_id, virtual_account_id, key_id, ciphertext
       from virtual_account
       where (book_id, virtual_account_id) > ($1::uuid, $2::uuid)
         and key_id <> $3
       order by book_id, virtual_account_id
       limit $4
       for update skip locked`,
      [book, id, currentKeyId, limit],
    );
    return rows.map((row) => ({
      key: [row.book_id, row.virtual_account_id],
      keyId: row.key_id,
      ciphertext: row.ciphertext,
    }));
  },
  async save(sql, numbers) {
    await sql(
      `update virtual_account v
       set key_id = n.key_id,
           ciphertext = n.ciphertext
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as n (book_id, id, key_id, ciphertext)
       where v.book_id = n.book_id
         and v.virtual_account_id = n.id`,
      [
        numbers.map(({ key }) => key[0]),
        numbers.map(({ key }) => key[1]),
        numbers.map(({ keyId }) => keyId),
        numbers.map(({ ciphertext }) => ciphertext),
      ],
    );
  },
};
