/** `npm run seals -- status | rotate`: which keys account numbers rest under, and sealing them anew with the first. */
import { rotateSeals } from "../../services/orders/rotate-seals.ts";
import { countOtherKeys } from "../../services/orders/store/seals.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { Seals } from "../../services/platform/process/seals.ts";
import { operatorDatabase, operatorSealKeys, runTool } from "./connections.ts";

const usage = `usage: npm run seals -- <command>
  status   the keys beside the first of SEAL_KEYS that account numbers still rest under
  rotate   seals the account numbers of counterparties and drafts anew with the first of SEAL_KEYS
Give every service the new key behind the old one, then before it, then rotate. An order that was submitted keeps its
seal, for its approvals are bound to it: its key stays in SEAL_KEYS, behind the first.`;

type Client = Awaited<ReturnType<typeof operatorDatabase>>;

function sqlOf(client: Client): Sql {
  return async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await client.query(text, [...params])).rows as R[];
}

/** One transaction with the rights of orders' own role. */
async function asOrders<T>(client: Client, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = sqlOf(client);
  await sql("begin");
  await sql("set local role orders");
  await sql("set local search_path = orders");
  const done = await work(sql);
  await sql("commit"); // a throw ends the session, and what was not committed with it
  return done;
}

async function tellOthers(client: Client, currentKeyId: string): Promise<void> {
  const inOrders = await asOrders(client, (sql) => countOtherKeys(sql, currentKeyId));
  const inRails = await sqlOf(client)<{ keyId: string; what: string; rows: number }>(
    `select account_key_id as "keyId", 'instructions at rails' as what, count(*)::int as rows
     from rails.instruction
     where account_key_id <> $1
     group by account_key_id
     order by account_key_id`,
    [currentKeyId],
  );
  const others = [...inOrders, ...inRails];
  if (others.length === 0) return console.log(`every account number rests under ${currentKeyId}`);
  for (const { keyId, what, rows } of others) console.log(`still under ${keyId}: ${String(rows)} ${what}`);
  const keys = [...new Set(others.map(({ keyId }) => keyId))];
  console.log(`keep ${keys.join(", ")} in SEAL_KEYS, behind ${currentKeyId}`);
}

await runTool(async () => {
  const [command] = process.argv.slice(2);
  if (command !== "status" && command !== "rotate") throw new Error(usage);
  const seals = new Seals(await operatorSealKeys());
  const client = await operatorDatabase();
  try {
    if (command === "rotate") {
      const counts = await rotateSeals((work) => asOrders(client, work), seals);
      for (const { what, rows } of counts)
        console.log(`sealed anew with ${seals.currentKeyId}: ${String(rows)} ${what}`);
    }
    await tellOthers(client, seals.currentKeyId);
  } finally {
    await client.end();
  }
});
