import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { EncryptedColumn, StoredCiphertext } from "../../platform/encryption/reencrypt.ts";

const accountsOfCounterparties: EncryptedColumn = {
  name: "accounts of counterparties",
  async claim(sql, currentKeyId, [book = belowAllUuids, counterparty = belowAllUuids, rail = ""], limit) {
    const rows = await sql<Row & { counterparty_id: string; rail: string }>(
      `select book_id, counterparty_id, rail, key_id, ciphertext
       from counterparty_account
       where (book_id, counterparty_id, rail) > ($1::uuid, $2::uuid, $3)
         and key_id <> $4
       order by book_id, counterparty_id, rail
       limit $5
       for update skip locked`,
      [book, counterparty, rail, currentKeyId, limit],
    );
    return rows.map((row) => storedCiphertext(row, [row.book_id, row.counterparty_id, row.rail]));
  },
  async save(sql, ciphertexts) {
    await sql(
      `update counterparty_account a
       set key_id = n.key_id,
           ciphertext = n.ciphertext
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[])
         as n (book_id, counterparty_id, rail, key_id, ciphertext)
       where a.book_id = n.book_id
         and a.counterparty_id = n.counterparty_id
         and a.rail = n.rail`,
      columnsOf(ciphertexts, 3),
    );
  },
};

/** Only Drafts: the hash of a submitted order covers its ciphertext, and approvals are bound to the hash. */
const drafts: EncryptedColumn = {
  name: "drafts",
  async claim(sql, currentKeyId, [book = belowAllUuids, id = belowAllUuids], limit) {
    const rows = await sql<Row & { id: string }>(
      `select book_id, id, counterparty_account ->> 'keyId' as key_id,
         counterparty_account ->> 'ciphertext' as ciphertext
       from payment_order
       where (book_id, id) > ($1::uuid, $2::uuid)
         and phase = 'Draft'
         and counterparty_account ->> 'keyId' <> $3
       order by book_id, id
       limit $4
       for update skip locked`,
      [book, id, currentKeyId, limit],
    );
    return rows.map((row) => storedCiphertext(row, [row.book_id, row.id]));
  },
  async save(sql, ciphertexts) {
    await sql(
      `update payment_order o
       set counterparty_account =
         o.counterparty_account || jsonb_build_object('keyId', n.key_id, 'ciphertext', n.ciphertext)
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as n (book_id, id, key_id, ciphertext)
       where o.book_id = n.book_id
         and o.id = n.id`,
      columnsOf(ciphertexts, 2),
    );
  },
};

const proposedChanges: EncryptedColumn = {
  name: "proposed changes",
  async claim(sql, currentKeyId, [book = belowAllUuids, id = belowAllUuids], limit) {
    const rows = await sql<Row & { id: string }>(
      `select book_id, id, corrected_data -> 'accountNumber' ->> 'keyId' as key_id,
         corrected_data -> 'accountNumber' ->> 'ciphertext' as ciphertext
       from proposed_change
       where (book_id, id) > ($1::uuid, $2::uuid)
         and corrected_data -> 'accountNumber' ->> 'keyId' <> $3
       order by book_id, id
       limit $4
       for update skip locked`,
      [book, id, currentKeyId, limit],
    );
    return rows.map((row) => storedCiphertext(row, [row.book_id, row.id]));
  },
  async save(sql, ciphertexts) {
    await sql(
      `update proposed_change p
       set corrected_data = jsonb_set(p.corrected_data, '{accountNumber}', p.corrected_data -> 'accountNumber'
         || jsonb_build_object('keyId', n.key_id, 'ciphertext', n.ciphertext))
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as n (book_id, id, key_id, ciphertext)
       where p.book_id = n.book_id
         and p.id = n.id`,
      columnsOf(ciphertexts, 2),
    );
  },
};

/** The account numbers that can be re-encrypted. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  accountsOfCounterparties,
  drafts,
  proposedChanges,
];

interface Row {
  book_id: string;
  key_id: string;
  ciphertext: string;
}

function storedCiphertext({ key_id, ciphertext }: Row, key: string[]): StoredCiphertext {
  return { key, keyId: key_id, ciphertext };
}

function columnsOf(ciphertexts: readonly StoredCiphertext[], parts: number): string[][] {
  return [
    ...Array.from({ length: parts }, (_, part) => ciphertexts.map(({ key }) => key[part] ?? "")),
    ciphertexts.map(({ keyId }) => keyId),
    ciphertexts.map(({ ciphertext }) => ciphertext),
  ];
}

/** How many rows are encrypted with another key than the current one, by key and kind. */
export async function countOtherKeys(
  sql: Sql,
  currentKeyId: string,
): Promise<{ keyId: string; what: string; rows: number }[]> {
  return sql(
    `select key_id as "keyId", what, count(*)::int as rows
     from (
       select key_id, 'accounts of counterparties' as what
       from counterparty_account
       union all
       select corrected_data -> 'accountNumber' ->> 'keyId', 'proposed changes'
       from proposed_change
       union all
       select counterparty_account ->> 'keyId',
         case
           when phase = 'Draft' then 'drafts'
           when phase in ('Completed', 'Failed', 'Returned', 'Cancelled') then 'final orders'
           else 'orders under way'
         end
       from payment_order
       where counterparty_account is not null
     ) encrypted
     where key_id <> $1
     group by key_id, what
     order by key_id, what`,
    [currentKeyId],
  );
}
