/** `npm run republish -- --since <time> [--service <name>]`: rebuilds a lost stream from the outboxes. */
import { parseArgs } from "node:util";
import { type Service, services } from "../../contracts/message.ts";
import { operatorDatabase, runTool } from "./connections.ts";

const retentionDays = 8;

/**
 * Marks the messages published since then as unpublished, so that the services' pollers publish them again within
 * seconds. Consumers drop those that they have already handled. Refuses to go back further than the outbox keeps.
 */
await runTool(async () => {
  const { values } = parseArgs({ options: { since: { type: "string" }, service: { type: "string" } } });
  const since = new Date(values.since ?? "");
  if (Number.isNaN(since.getTime())) {
    throw new Error("usage: npm run republish -- --since 2026-11-21T10:00:00Z [--service orders]");
  }
  if (Date.now() - since.getTime() > retentionDays * 24 * 3_600_000) {
    throw new Error(
      `the outbox keeps ${String(retentionDays)} days; older messages can't be published again`,
    );
  }
  const wanted = services.filter((service) => values.service === undefined || service === values.service);
  if (wanted.length === 0) throw new Error(`--service must be one of ${services.join(", ")}`);
  const database = await operatorDatabase();
  try {
    for (const service of wanted)
      console.log(
        `${service}: ${String(await markUnpublished(database, service, since))} messages will be published again`,
      );
  } finally {
    await database.end();
  }
});

async function markUnpublished(
  database: Awaited<ReturnType<typeof operatorDatabase>>,
  service: Service,
  since: Date,
) {
  const { rows } = await database.query<{ messages: number }>(
    `with reset as (
       update ${service}.outbox
       set published_at = null
       where day >= $1::date
         and created_at >= $1
         and published_at is not null
       returning message_count
     )
     select coalesce(sum(message_count), 0)::int as messages from reset`,
    [since],
  );
  return rows[0]?.messages ?? 0;
}
