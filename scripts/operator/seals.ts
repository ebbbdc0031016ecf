/** `npm run seals -- status | rotate`: which keys account numbers rest under, and sealing them anew with the first. */
import { numbersOfVirtualAccounts } from "../../services/ledger/virtual-accounts/store/number-ciphertexts.ts";
import { countOtherKeys, encryptedColumns } from "../../services/orders/store/account-number-ciphertexts.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { reencrypt } from "../../services/platform/encryption/reencrypt.ts";
import { AccountNumberCipher } from "../../services/platform/encryption/account-number-cipher.ts";
import { operatorDatabase, operatorSealKeys, runTool } from "./connections.ts";

const usage = `usage: npm run seals -- <command>
  status   the keys beside the first of ENCRYPTION_KEYS that account numbers still rest under
  rotate   seals the account numbers of counterparties, drafts and virtual accounts anew with the first of ENCRYPTION_KEYS
Give every service the new key behind the old one, then before it, then rotate. An order that was submitted keeps its
seal, for its approvals are bound to it, and so does what the bank wrote down: their keys stay in ENCRYPTION_KEYS, behind the
first. So does every other for 30 days, for repeated requests and dead letters, and while a book is frozen.`;

type Client = Awaited<ReturnType<typeof operatorDatabase>>;

function sqlOf(client: Client): Sql {
  return async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await client.query(text, [...params])).rows as R[];
}

/** One transaction with the rights of the service's own role. */
async function asService<T>(
  service: "orders" | "ledger",
  client: Client,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const sql = sqlOf(client);
  await sql("begin");
  await sql(`set local role ${service}`);
  await sql(`set local search_path = ${service}`);
  const done = await work(sql);
  await sql("commit"); // a throw ends the session, and what was not committed with it
  return done;
}

async function tellOthers(client: Client, currentKeyId: string): Promise<void> {
  const inOrders = await asService("orders", client, (sql) => countOtherKeys(sql, currentKeyId));
  const elsewhere = await sqlOf(client)<{ keyId: string; what: string; rows: number }>(
    `select key_id as "keyId", what, count(*)::int as rows
     from (
       select account_key_id as key_id, 'instructions at rails' as what from rails.instruction
       union all select account_key_id, 'inbound transfers at the bank' from rails.inbound_transfer
       union all select key_id, 'numbers of virtual accounts' from ledger.virtual_account
     ) sealed
     where key_id <> $1
     group by key_id, what
     order by key_id, what`,
    [currentKeyId],
  );
  const others = [...inOrders, ...elsewhere];
  if (others.length === 0) return console.log(`every account number rests under ${currentKeyId}`);
  for (const { keyId, what, rows } of others) console.log(`still under ${keyId}: ${String(rows)} ${what}`);
  const keys = [...new Set(others.map(({ keyId }) => keyId))];
  console.log(`keep ${keys.join(", ")} in ENCRYPTION_KEYS, behind ${currentKeyId}`);
}

await runTool(async () => {
  const [command] = process.argv.slice(2);
  if (command !== "status" && command !== "rotate") throw new Error(usage);
  const seals = new AccountNumberCipher(await operatorSealKeys());
  const client = await operatorDatabase();
  try {
    if (command === "rotate") {
      const counts = [
        ...(await reencrypt(encryptedColumns, (work) => asService("orders", client, work), seals)),
        ...(await reencrypt([numbersOfVirtualAccounts], (work) => asService("ledger", client, work), seals)),
      ];
      for (const { what, rows } of counts)
        console.log(`sealed anew with ${seals.currentKeyId}: ${String(rows)} ${what}`);
    }
    await tellOthers(client, seals.currentKeyId);
  } finally {
    await client.end();
  }
});
