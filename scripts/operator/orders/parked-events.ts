/** `npm run orders`: the commands about parked events. */
import { idOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { inDatabase } from "../command-line/connections.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { decision, decidedBy } from "../command-line/decision.ts";

interface ParkedRow {
  readonly message_id: string;
  readonly parked_at: Date;
  readonly order_id: string;
  readonly reason: string;
  readonly event: object;
  readonly ledger_transaction_id: string | null;
  readonly journal_sequence: string | null;
  readonly actor: string | null;
  readonly decision: string | null;
  readonly decided_at: Date | null;
}

async function list(sql: Sql, given: Given): Promise<void> {
  const rows = await sql<ParkedRow>(
    `select e.*, d.actor, d.reason as decision, d.decided_at
     from orders.parked_event e
     left join orders.parked_event_decision d using (message_id)
     where d.message_id is null or $1
     order by e.parked_at`,
    [given.has("all")],
  );
  if (rows.length === 0) given.note(given.has("all") ? "no event was ever parked" : "no event is undecided");
  for (const row of rows) print(given, row);
}

function print(given: Given, row: ParkedRow): void {
  const parkedAt = row.parked_at.toISOString();
  const decided =
    row.decided_at === null
      ? null
      : { by: row.actor, at: row.decided_at.toISOString(), reason: row.decision };
  const transaction = row.ledger_transaction_id === null ? null : idOf("lt", row.ledger_transaction_id);
  const journal = row.journal_sequence === null ? null : Number(row.journal_sequence);
  given.print(
    {
      messageId: row.message_id,
      parkedAt,
      orderId: row.order_id,
      reason: row.reason,
      event: row.event,
      ledgerTransactionId: transaction,
      journalSequence: journal,
      decision: decided,
    },
    `${row.message_id}  ${parkedAt}  ${row.order_id}  ${row.reason}`,
    `  ${JSON.stringify(row.event)}`,
    ...(transaction === null
      ? []
      : [`  ${transaction} ${journal === null ? "is not posted yet" : `is journal ${String(journal)}`}`]),
    ...(decided === null
      ? []
      : [`  decided by ${String(decided.by)} at ${decided.at}: ${String(decided.reason)}`]),
  );
}

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

function decidedOf(given: Given) {
  const messageId = given.argument(0).toLowerCase();
  if (!uuidPattern.test(messageId))
    throw new Misuse(`${messageId} is not a message's id: npm run orders -- parked prints it`);
  return { messageId, ...decidedBy(given) };
}

/** Money that the ledger has not posted to Suspense yet is nothing to decide on. */
async function decide(sql: Sql, given: Given): Promise<void> {
  const { messageId, by, reason } = decidedOf(given);
  const [parked] = await sql<{ order_id: string; is_unposted: boolean }>(
    `select order_id, ledger_transaction_id is not null and journal_sequence is null as is_unposted
     from orders.parked_event
     where message_id = $1`,
    [messageId],
  );
  if (parked === undefined) throw new Error(`no event ${messageId} is parked`);
  if (parked.is_unposted)
    throw new Error(
      `the ledger has not posted the money of ${messageId} to Suspense yet: decide when it has a journal`,
    );
  const inserted = await sql<{ decided_at: Date }>(
    `insert into orders.parked_event_decision (message_id, actor, reason)
     values ($1, $2, $3)
     on conflict (message_id) do nothing
     returning decided_at`,
    [messageId, by, reason],
  );
  const isNew = inserted.length > 0;
  const [decided] = await sql<{ actor: string }>(
    "select actor from orders.parked_event_decision where message_id = $1",
    [messageId],
  );
  const decider = decided?.actor ?? by;
  given.print(
    { messageId, orderId: parked.order_id, isNew, decidedBy: decider },
    isNew
      ? `decided  ${messageId}  ${parked.order_id}`
      : `${messageId} was decided before, by ${decider}: nothing is changed`,
  );
}

export const parkedEventCommands: Tool["commands"] = {
  parked: {
    about: "list the parked events that nobody has decided on, with their reasons",
    options: { all: {} },
    run: (given) => inDatabase((sql) => list(sql, given)),
  },
  decide: {
    about: "record what was decided about a parked event; the command itself moves no money",
    takes: ["<message id>"],
    options: decision,
    changes: true,
    check: decidedOf,
    run: (given) => inDatabase((sql) => decide(sql, given)),
  },
};
