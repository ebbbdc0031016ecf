/** `npm run orders -- parked`: facts that fit no order as it stands, for a person to decide on. */
import { idOf } from "../../contracts/ids.ts";
import { operatorDatabase, runTool } from "./connections.ts";

await runTool(async () => {
  if (process.argv[2] !== "parked") throw new Error("usage: npm run orders -- parked");
  const database = await operatorDatabase();
  try {
    const { rows } = await database.query<{
      parked_at: Date;
      order_id: string;
      reason: string;
      fact: object;
      ledger_transaction_id: string | null;
      journal_sequence: string | null;
    }>(
      `select parked_at, order_id, reason, fact, ledger_transaction_id, journal_sequence
       from orders.parked_fact
       order by parked_at`,
    );
    if (rows.length === 0) console.log("nothing is parked");
    for (const { parked_at, order_id, reason, fact, ...booked } of rows) {
      console.log(`${parked_at.toISOString()}  ${order_id}  ${reason}\n  ${JSON.stringify(fact)}`);
      if (booked.ledger_transaction_id !== null) console.log(`  ${journalOf(booked)}`);
    }
  } finally {
    await database.end();
  }
});

/** Where the ledger has what a parked fact moved. */
function journalOf(booked: {
  ledger_transaction_id: string | null;
  journal_sequence: string | null;
}): string {
  const transaction = idOf("lt", booked.ledger_transaction_id ?? "");
  return booked.journal_sequence === null
    ? `${transaction} is not posted yet`
    : `${transaction} is journal ${booked.journal_sequence}`;
}
