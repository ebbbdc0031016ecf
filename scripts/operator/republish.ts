/** `npm run republish`: rebuilds a lost stream from the outboxes. */
import { type Service, services } from "../../contracts/message.ts";
import { runTool } from "./command-line/command-line.ts";
import { operatorDatabase } from "./command-line/connections.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import { momentOf } from "./command-line/moment.ts";
import type { Tool } from "./command-line/tool.ts";

const retentionDays = 8;

/** A stream stores a message until each consumer has handled it: with it go messages of long before the loss. */
export const adviceOnSince = [
  "Find the oldest message that some consumer had not handled, and choose a time before it was published.",
  `If you are unsure, choose a time a few minutes less than ${String(retentionDays)} days ago: consumers drop what they have handled.`,
];

/** Refuses a future time, and one from before the outbox's retention. */
function wantedOf(given: Given): { since: Date; wanted: readonly Service[] } {
  const since = momentOf(given.required("since"));
  if (since === undefined || since.getTime() > Date.now())
    throw new Misuse("--since must be a past time, such as 2026-11-21T10:00:00Z");
  if (Date.now() - since.getTime() > retentionDays * 24 * 3_600_000) {
    throw new Misuse(
      `--since: the outbox keeps ${String(retentionDays)} days; older messages can't be published again`,
    );
  }
  const only = given.option("service");
  const wanted = services.filter((service) => only === undefined || service === only);
  if (wanted.length === 0) throw new Misuse(`--service must be one of ${services.join(", ")}`);
  return { since, wanted };
}

async function republish(given: Given): Promise<void> {
  const { since, wanted } = wantedOf(given);
  const database = await operatorDatabase();
  try {
    for (const service of wanted) {
      const messages = await markUnpublished(database, service, since);
      given.print({ service, messages }, `${service}: ${String(messages)} messages will be published again`);
    }
  } finally {
    await database.end();
  }
}

/**
 * Marks the messages published since then as unpublished, so that the services' pollers publish them again within
 * seconds. Consumers drop those that they have already handled. By the time of their publication: a message may have
 * waited for hours before it. So each partition is read; a mark comes up to a second late, which only adds repeats.
 */
async function markUnpublished(
  database: Awaited<ReturnType<typeof operatorDatabase>>,
  service: Service,
  since: Date,
) {
  const { rows } = await database.query<{ messages: number }>(
    `with reset as (
       update ${service}.outbox
       set published_at = null
       where published_at >= $1::timestamptz
       returning message_count
     )
     select coalesce(sum(message_count), 0)::int as messages from reset`,
    [since],
  );
  return rows[0]?.messages ?? 0;
}

export const republishTool: Tool = {
  name: "republish",
  commands: {
    "": {
      about: [
        "Publishes again, within seconds, what the services have published since that time.",
        ...adviceOnSince,
      ].join("\n"),
      options: { since: { value: "<time>", required: true }, service: { value: services.join("|") } },
      changes: true,
      check: wantedOf,
      run: republish,
    },
  },
};

if (import.meta.main) await runTool(republishTool);
