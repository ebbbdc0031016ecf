/** `npm run orders -- parked`: facts that fit no order as it stands, for a person to decide on. */
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
    }>("select parked_at, order_id, reason, fact from orders.parked_fact order by parked_at");
    if (rows.length === 0) console.log("nothing is parked");
    for (const { parked_at, order_id, reason, fact } of rows) {
      console.log(`${parked_at.toISOString()}  ${order_id}  ${reason}\n  ${JSON.stringify(fact)}`);
    }
  } finally {
    await database.end();
  }
});
