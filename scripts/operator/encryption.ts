/** `npm run encryption`: which keys encrypt the stored account numbers; re-encrypts them with the first. */
import { numbersOfVirtualAccounts } from "../../services/ledger/virtual-accounts/store/number-ciphertexts.ts";
import { countOtherKeys, encryptedColumns } from "../../services/orders/store/account-number-ciphertexts.ts";
import { SecretCipher } from "../../services/platform/encryption/secret-cipher.ts";
import { reencrypt } from "../../services/platform/encryption/reencrypt.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { runTool } from "./command-line.ts";
import { type OperatorDatabase, operatorDatabase, operatorEncryptionKeys, sqlOf } from "./connections.ts";
import type { Given } from "./given.ts";
import type { Tool } from "./tool.ts";

const notes = `To rotate: give the gateway, orders, ledger and rails the new key after the old one, then before it, then run rotate.
Keep the old key in ENCRYPTION_KEYS, after the first, as long as status names it: submitted orders are never re-encrypted,
because their approvals are bound to the ciphertext, and neither is what the bank recorded. Keep it for at least 30 days
more, for repeated requests and dead letters, and while a book is frozen.`;

/** One transaction with the rights of the service's own role. */
async function asService<T>(
  service: "orders" | "ledger",
  database: OperatorDatabase,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const sql = sqlOf(database);
  await sql("begin");
  await sql(`set local role ${service}`);
  await sql(`set local search_path = ${service}`);
  const result = await work(sql);
  await sql("commit"); // a throw ends the session, which rolls back
  return result;
}

async function printOtherKeys(database: OperatorDatabase, currentKeyId: string, given: Given): Promise<void> {
  const inOrders = await asService("orders", database, (sql) => countOtherKeys(sql, currentKeyId));
  const elsewhere = await sqlOf(database)<{ keyId: string; what: string; rows: number }>(
    `select key_id as "keyId", what, count(*)::int as rows
     from (
       select account_key_id as key_id, 'instructions at rails' as what from rails.instruction
       union all select account_key_id, 'inbound transfers at the bank' from rails.inbound_transfer
       union all select coalesce(account_key_id, corrected_data #>> '{accountNumber,keyId}'), 'rules of testers'
         from rails.injection where status = 'Active'
       union all select key_id, 'numbers of virtual accounts' from ledger.virtual_account
     ) encrypted
     where key_id <> $1
     group by key_id, what
     order by key_id, what`,
    [currentKeyId],
  );
  const others = [...inOrders, ...elsewhere];
  if (others.length === 0) return given.note(`every account number is encrypted with ${currentKeyId}`);
  for (const { keyId, what, rows } of others)
    given.print({ keyId, what, rows }, `still encrypted with ${keyId}: ${String(rows)} ${what}`);
  const keys = [...new Set(others.map(({ keyId }) => keyId))];
  given.note(`keep ${keys.join(", ")} in ENCRYPTION_KEYS, after ${currentKeyId}`);
}

async function rotate(database: OperatorDatabase, cipher: SecretCipher, given: Given): Promise<void> {
  const inOrders = await reencrypt(encryptedColumns, (work) => asService("orders", database, work), cipher);
  const inLedger = await reencrypt(
    [numbersOfVirtualAccounts],
    (work) => asService("ledger", database, work),
    cipher,
  );
  for (const { what, rows } of [...inOrders, ...inLedger]) {
    const line = `re-encrypted with ${cipher.currentKeyId}: ${String(rows)} ${what}`;
    given.print({ reencryptedWith: cipher.currentKeyId, what, rows }, line);
  }
}

async function withDatabase(
  act: (database: OperatorDatabase, cipher: SecretCipher) => Promise<void>,
): Promise<void> {
  const cipher = new SecretCipher(await operatorEncryptionKeys());
  const database = await operatorDatabase();
  try {
    await act(database, cipher);
  } finally {
    await database.end();
  }
}

export const encryption: Tool = {
  name: "encryption",
  commands: {
    status: {
      about: "count the account numbers that a key other than the first of ENCRYPTION_KEYS encrypts",
      run: (given) =>
        withDatabase((database, { currentKeyId }) => printOtherKeys(database, currentKeyId, given)),
    },
    rotate: {
      about:
        "re-encrypt the account numbers of counterparties, drafts and virtual accounts with the first of ENCRYPTION_KEYS",
      changes: true,
      run: (given) =>
        withDatabase(async (database, cipher) => {
          await rotate(database, cipher, given);
          await printOtherKeys(database, cipher.currentKeyId, given);
        }),
    },
  },
  notes,
};

if (import.meta.main) await runTool(encryption);
