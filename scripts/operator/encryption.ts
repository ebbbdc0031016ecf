/**
 * `npm run encryption`: which keys encrypt the stored account numbers and signing secrets; re-encrypts them with the
 * first key of their list.
 */
import { numbersOfVirtualAccounts } from "../../services/ledger/virtual-accounts/store/number-ciphertexts.ts";
import { countOtherKeys, encryptedColumns } from "../../services/orders/store/account-number-ciphertexts.ts";
import { type EncryptedColumn, reencrypt } from "../../services/platform/encryption/reencrypt.ts";
import { SecretCipher } from "../../services/platform/encryption/secret-cipher.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import {
  countSecretsOfOtherKeys,
  signingSecrets,
} from "../../services/webhooks/endpoints/store/secret-ciphertexts.ts";
import { runTool } from "./command-line/command-line.ts";
import {
  type OperatorDatabase,
  operatorDatabase,
  operatorEncryptionKeys,
  sqlOf,
} from "./command-line/connections.ts";
import type { Given } from "./command-line/given.ts";
import type { Tool } from "./command-line/tool.ts";

const notes = `ENCRYPTION_KEYS has the keys of account numbers, SIGNING_SECRET_KEYS those of signing secrets, which webhooks has as
its ENCRYPTION_KEYS. A list that is not set is left out.
To rotate: add the new key after the old one for the gateway, orders, ledger and rails-simulator, and restart them. Put
the new key first, and restart them again. Then run rotate.
Keep the old key in ENCRYPTION_KEYS, after the first, as long as status names it: submitted orders are never re-encrypted,
because their approvals are bound to the ciphertext, and neither is what the bank recorded. Keep it for at least 30 days
more, for repeated requests and dead letters; also while a book is frozen or set aside, and while npm run books -- list
shows a quarantined command. For signing secrets, do the same with webhooks;
their old key can be removed as soon as status no longer names it.`;

interface RowsOfKey {
  readonly keyId: string;
  readonly what: string;
  readonly rows: number;
}

/** A list of keys, and what they encrypt. */
interface KeyList {
  readonly variable: "ENCRYPTION_KEYS" | "SIGNING_SECRET_KEYS";
  /** One of what they encrypt. */
  readonly encrypts: string;
  /** Where the services have them. */
  readonly setting: string;
  readonly columns: readonly (readonly ["orders" | "ledger" | "webhooks", readonly EncryptedColumn[]])[];
  countOtherKeys(database: OperatorDatabase, currentKeyId: string): Promise<RowsOfKey[]>;
}

/** One transaction with the rights of the service's own role. */
async function asService<T>(
  service: "orders" | "ledger" | "webhooks",
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

async function countAccountNumbers(database: OperatorDatabase, currentKeyId: string): Promise<RowsOfKey[]> {
  const inOrders = await asService("orders", database, (sql) => countOtherKeys(sql, currentKeyId));
  const elsewhere = await sqlOf(database)<RowsOfKey>(
    `select key_id as "keyId", what, count(*)::int as rows
     from (
       select account_key_id as key_id, 'instructions at rails' as what from rails.instruction
       union all select account_key_id, 'inbound transfers at the bank' from rails.inbound_transfer
       union all select coalesce(account_key_id, corrected_data #>> '{accountNumber,keyId}'), 'rules of testers'
         from rails.injection where status = 'Active'
       -- What the rail sends again, or takes later.
       union all select corrected_data #>> '{accountNumber,keyId}', 'notices of change at rails' from rails.step
       union all select pending_corrected_data #>> '{accountNumber,keyId}', 'notices of change that wait for a hand-off'
         from rails.instruction where submitted_at is null
       union all select submission #>> '{data,counterpartyAccountNumber,keyId}', 'instructions that an outage holds'
         from rails.undelivered_instruction where kind = 'Held'
       union all select key_id, 'numbers of virtual accounts' from ledger.virtual_account
     ) encrypted
     where key_id <> $1
     group by key_id, what
     order by key_id, what`,
    [currentKeyId],
  );
  return [...inOrders, ...elsewhere];
}

const keyLists: readonly KeyList[] = [
  {
    variable: "ENCRYPTION_KEYS",
    encrypts: "account number",
    setting: "ENCRYPTION_KEYS",
    columns: [
      ["orders", encryptedColumns],
      ["ledger", [numbersOfVirtualAccounts]],
    ],
    countOtherKeys: countAccountNumbers,
  },
  {
    variable: "SIGNING_SECRET_KEYS",
    encrypts: "signing secret",
    setting: "ENCRYPTION_KEYS of webhooks",
    columns: [["webhooks", [signingSecrets]]],
    countOtherKeys: (database, currentKeyId) =>
      asService("webhooks", database, (sql) => countSecretsOfOtherKeys(sql, currentKeyId)),
  },
];

/** A list whose keys are set, in the database that they belong to. */
interface Work {
  readonly database: OperatorDatabase;
  readonly list: KeyList;
  readonly cipher: SecretCipher;
  readonly given: Given;
}

async function printOtherKeys({ database, list, cipher, given }: Work): Promise<void> {
  const { currentKeyId } = cipher;
  const others = await list.countOtherKeys(database, currentKeyId);
  if (others.length === 0) return given.note(`every ${list.encrypts} is encrypted with ${currentKeyId}`);
  for (const { keyId, what, rows } of others)
    given.print({ keyId, what, rows }, `still encrypted with ${keyId}: ${String(rows)} ${what}`);
  const keys = [...new Set(others.map(({ keyId }) => keyId))];
  given.note(`keep ${keys.join(", ")} in ${list.setting}, after ${currentKeyId}`);
}

async function rotate(work: Work): Promise<void> {
  const { database, list, cipher, given } = work;
  for (const [service, columns] of list.columns) {
    const done = await reencrypt(columns, (act) => asService(service, database, act), cipher);
    for (const { what, rows } of done) {
      const line = `re-encrypted with ${cipher.currentKeyId}: ${String(rows)} ${what}`;
      given.print({ reencryptedWith: cipher.currentKeyId, what, rows }, line);
    }
  }
  await printOtherKeys(work);
}

/** Acts on each list whose keys are set, and names the others: whoever reads the output must not take them for done. */
async function withEachList(given: Given, act: (work: Work) => Promise<void>): Promise<void> {
  const keys = await operatorEncryptionKeys();
  const lists = keyLists.map((list) => {
    const text = keys[list.variable];
    return { list, cipher: text === undefined ? undefined : new SecretCipher(text, list.variable) };
  });
  const database = await operatorDatabase();
  try {
    for (const { list, cipher } of lists) {
      const leftOut = `${list.encrypts}s`;
      if (cipher !== undefined) await act({ database, list, cipher, given });
      else
        given.print(
          { leftOut, notSet: list.variable },
          `left out: ${leftOut}, because ${list.variable} is not set`,
        );
    }
  } finally {
    await database.end();
  }
}

export const encryption: Tool = {
  name: "encryption",
  commands: {
    status: {
      about:
        "count the account numbers and signing secrets that another key than the first of their list encrypts",
      run: (given) => withEachList(given, printOtherKeys),
    },
    rotate: {
      about:
        "re-encrypt the account numbers of counterparties, proposed changes, Drafts and virtual accounts,\nand the signing secrets of webhooks, with the first key of their list",
      changes: true,
      run: (given) => withEachList(given, rotate),
    },
  },
  notes,
};

if (import.meta.main) await runTool(encryption);
