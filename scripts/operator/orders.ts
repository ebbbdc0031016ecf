/**
 * `npm run orders -- parked`: events that fit no order as it is, for a person to decide on.
 * `npm run orders -- resolve <id> --as settled|failed --evidence "…" --by <name>`: ends an order that is stuck at its
 * rail. One operator proposes, another confirms with the same --as.
 */
import { parseArgs } from "node:util";
import { bookIdOf, idOf, isId, newId, uuidOf } from "../../contracts/ids/ids.ts";
import { ResolveOrder } from "../../contracts/messages/orders.ts";
import { RpcClient } from "../../services/platform/rpc/client.ts";
import { operatorDatabase, operatorNats, runTool } from "./connections.ts";

type Database = Awaited<ReturnType<typeof operatorDatabase>>;

const usage = `usage: npm run orders -- parked
       npm run orders -- resolve <order id> --as settled|failed --evidence "what was seen, where" --by <your name>`;

async function parked(database: Database): Promise<void> {
  const { rows } = await database.query<{
    parked_at: Date;
    order_id: string;
    reason: string;
    event: object;
    ledger_transaction_id: string | null;
    journal_sequence: string | null;
  }>(
    `select parked_at, order_id, reason, event, ledger_transaction_id, journal_sequence
     from orders.parked_event
     order by parked_at`,
  );
  if (rows.length === 0) console.log("nothing is parked");
  for (const { parked_at, order_id, reason, event, ...booked } of rows) {
    console.log(`${parked_at.toISOString()}  ${order_id}  ${reason}\n  ${JSON.stringify(event)}`);
    if (booked.ledger_transaction_id !== null) console.log(`  ${journalOf(booked)}`);
  }
}

/** The ledger transaction that holds the money of a parked event. */
function journalOf(booked: {
  ledger_transaction_id: string | null;
  journal_sequence: string | null;
}): string {
  const transaction = idOf("lt", booked.ledger_transaction_id ?? "");
  return booked.journal_sequence === null
    ? `${transaction} is not posted yet`
    : `${transaction} is journal ${booked.journal_sequence}`;
}

async function resolve(database: Database, args: readonly string[]): Promise<void> {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { as: text, evidence: text, by: text },
    allowPositionals: true,
  });
  const { as, evidence, by } = values;
  const needed = { "the order id": positionals[0], "--as": as, "--evidence": evidence, "--by": by };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length > 0) throw new Error(`missing: ${missing.join(", ")}\n${usage}`);
  const vote = ResolveOrder.data.safeParse({ id: positionals[0], ...values });
  if (!vote.success) {
    const [fault] = vote.error.issues;
    throw new Error(`${fault?.path.join(".") ?? ""}: ${fault?.message ?? "invalid"}\n${usage}`);
  }
  const caller = await ownerOf(database, vote.data.id, vote.data.by);
  const nats = await operatorNats();
  try {
    const { value } = await new RpcClient(nats).request(ResolveOrder, { caller }, vote.data);
    console.log(
      value.resolution === "Resolved"
        ? `resolved as ${vote.data.as}; the order is ${value.status}`
        : `proposed: another operator must confirm with the same --as ${vote.data.as}`,
    );
  } finally {
    await nats.drain();
  }
}

/** A caller in the order's book: the request acts for its tenant, in the operator's name. */
async function ownerOf(database: Database, id: string, by: string) {
  const { rows } = isId("po", id)
    ? await database.query<{ tenant_id: string; mode: "Test" | "Live" }>(
        "select tenant_id, mode from orders.payment_order where id = $1",
        [uuidOf(id)],
      )
    : { rows: [] };
  const [order] = rows;
  if (order === undefined) throw new Error(`there is no payment order ${id}`);
  const tenant = idOf("ten", order.tenant_id);
  const { mode } = order;
  return { book: bookIdOf(tenant, mode), tenant, mode, principal: `operator:${by}`, requestId: newId("req") };
}

await runTool(async () => {
  const [action, ...args] = process.argv.slice(2);
  if (action !== "parked" && action !== "resolve") throw new Error(usage);
  const database = await operatorDatabase();
  try {
    if (action === "parked") await parked(database);
    else await resolve(database, args);
  } finally {
    await database.end();
  }
});
