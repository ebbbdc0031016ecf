/** `npm run republish -- --since <time> [--service <name>]`: refills a stream that was lost from the outboxes. */
import { parseArgs } from "node:util";
import { type Service, services } from "../../contracts/message.ts";
import { operatorDatabase, runTool } from "./connections.ts";

const keptDays = 8;

/**
 * Marks what was published since then as unpublished; the services' pollers send it within seconds. Receivers drop
 * what they have had already. Refuses to go back further than the outbox keeps.
 */
await runTool(async () => {
  const { values } = parseArgs({ options: { since: { type: "string" }, service: { type: "string" } } });
  const since = new Date(values.since ?? "");
  if (Number.isNaN(since.getTime())) {
    throw new Error("usage: npm run republish -- --since 2026-11-21T10:00:00Z [--service orders]");
  }
  if (Date.now() - since.getTime() > keptDays * 24 * 3_600_000) {
    throw new Error(`the outbox keeps ${String(keptDays)} days; what is older can't be sent again from it`);
  }
  const wanted = services.filter((service) => values.service === undefined || service === values.service);
  if (wanted.length === 0) throw new Error(`--service is one of ${services.join(", ")}`);
  const database = await operatorDatabase();
  try {
    for (const service of wanted)
      console.log(`${service}: ${String(await reopen(database, service, since))} messages go out again`);
  } finally {
    await database.end();
  }
});

async function reopen(database: Awaited<ReturnType<typeof operatorDatabase>>, service: Service, since: Date) {
  const { rows } = await database.query<{ messages: number }>(
    `with reopened as (
       update ${service}.outbox
       set published_at = null
       where day >= $1::date
         and created_at >= $1
         and published_at is not null
       returning message_count
     )
     select coalesce(sum(message_count), 0)::int as messages from reopened`,
    [since],
  );
  return rows[0]?.messages ?? 0;
}
