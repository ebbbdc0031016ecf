/** `npm run orders`: parked events, and orders that are stuck at their rail. */
import type { z } from "zod";
import { bookIdOf, idOf, isId, newId, uuidOf } from "../../contracts/ids/ids.ts";
import { ResolveOrder } from "../../contracts/messages/orders.ts";
import { issueMessage } from "../../contracts/text/issue-message.ts";
import { RpcClient } from "../../services/platform/rpc/client.ts";
import { runTool } from "./command-line/command-line.ts";
import { operatorDatabase, operatorNats } from "./command-line/connections.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import type { Tool } from "./command-line/tool.ts";

type Database = Awaited<ReturnType<typeof operatorDatabase>>;

async function parked(database: Database, given: Given): Promise<void> {
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
  if (rows.length === 0) given.note("nothing is parked");
  for (const { parked_at, order_id, reason, event, ...booked } of rows) {
    const parkedAt = parked_at.toISOString();
    const transaction = booked.ledger_transaction_id;
    given.print(
      {
        parkedAt,
        orderId: order_id,
        reason,
        event,
        ledgerTransactionId: transaction === null ? null : idOf("lt", transaction),
        journalSequence: booked.journal_sequence === null ? null : Number(booked.journal_sequence),
      },
      `${parkedAt}  ${order_id}  ${reason}`,
      `  ${JSON.stringify(event)}`,
      ...(transaction === null ? [] : [`  ${journalOf(booked)}`]),
    );
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

function voteOf(given: Given): z.output<typeof ResolveOrder.data> {
  const vote = ResolveOrder.data.safeParse(
    { id: given.argument(0), as: given.required("as"), evidence: given.required("evidence"), by: given.by },
    { error: issueMessage },
  );
  if (!vote.success) {
    const [fault] = vote.error.issues;
    const name = fault?.path.join(".") ?? "";
    throw new Misuse(`${name === "id" ? "the order id" : `--${name}`}: ${fault?.message ?? "invalid"}`);
  }
  return vote.data;
}

async function resolve(database: Database, given: Given): Promise<void> {
  const vote = voteOf(given);
  const caller = await ownerOf(database, vote.id, vote.by);
  const nats = await operatorNats();
  try {
    const { value } = await new RpcClient(nats).request(ResolveOrder, { caller }, vote);
    given.print(
      { id: vote.id, as: vote.as, ...value },
      value.resolution === "Resolved"
        ? `resolved as ${vote.as}; the order is ${value.status}`
        : `proposed: another operator must confirm with the same --as ${vote.as}`,
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

async function inDatabase(act: (database: Database) => Promise<void>): Promise<void> {
  const database = await operatorDatabase();
  try {
    await act(database);
  } finally {
    await database.end();
  }
}

export const orders: Tool = {
  name: "orders",
  commands: {
    parked: {
      about: "list the parked events, for a person to decide on",
      run: (given) => inDatabase((database) => parked(database, given)),
    },
    resolve: {
      about:
        "end an order that is stuck at its rail, with what was seen and where;\none operator proposes, another confirms with the same --as",
      takes: ["<order id>"],
      options: {
        as: { value: "settled|failed", required: true },
        evidence: { value: "<what was seen, where>", required: true },
      },
      changes: true,
      check: voteOf,
      run: (given) => inDatabase((database) => resolve(database, given)),
    },
  },
};

if (import.meta.main) await runTool(orders);
