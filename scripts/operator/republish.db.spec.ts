import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, expect, it, vi } from "vitest";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { createDatabase } from "../../test/stack/servers/database.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { republishTool } from "./republish.ts";

const database = await forThisFile(createDatabase("rails"));
const client = await forThisFile(new pg.Client(database.adminUrl));
await client.connect();
vi.stubEnv("DATABASE_URL", database.adminUrl);
afterAll(() => vi.unstubAllEnvs());

/** Messages that were published at these times, each named by its time, and written just before unless `written`. */
async function published(times: readonly string[], written?: string): Promise<void> {
  await client.query("truncate rails.outbox");
  for (const time of times) {
    await client.query(
      `insert into rails.outbox (day, message_id, subject, book_id, message, created_at, published_at)
       values ($4::timestamptz::date, $1, $2, $1, '{}', $4, $3::timestamptz)`,
      [randomUUID(), time, time, written ?? time],
    );
  }
}
async function publishAgainSince(since: string): Promise<string[]> {
  const lines: string[] = [];
  const streams = { out: (line: string) => lines.push(line), error: () => undefined };
  const args = ["--since", since, "--service", "rails", "--by", "ada"];
  expect(await runCommandLine(republishTool, args, streams)).toBe(0);
  const { rows } = await client.query<{ subject: string }>(
    "select subject from rails.outbox where published_at is null order by created_at",
  );
  expect(lines).toEqual([`rails: ${String(rows.length)} messages will be published again`]);
  return rows.map(({ subject }) => subject);
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

it("publishes again what was published since that time of day, and nothing earlier of the day", async () => {
  const [early, since, late] = [minutesAgo(30), minutesAgo(20), minutesAgo(10)];
  await published([early, late]);
  expect(await publishAgainSince(since)).toEqual([late]);
});

it("understands a time in any zone as the same moment", async () => {
  const [early, late] = [minutesAgo(30), minutesAgo(10)];
  await published([early, late]);
  const tokyo = new Date(Date.now() - 20 * 60_000 + 9 * 3_600_000).toISOString().replace("Z", "+09:00");
  expect(await publishAgainSince(tokyo)).toEqual([late]);
});

it("publishes again what was published since then, however long it had waited in the outbox", async () => {
  await client.query(
    "create table rails.outbox_waiting partition of rails.outbox for values from ('2026-03-02') to ('2026-03-05')",
  );
  const [early, since, late] = [minutesAgo(30), minutesAgo(20), minutesAgo(10)];
  await published([early, late], "2026-03-03T12:00:00Z");
  expect(await publishAgainSince(since)).toEqual([late]);
});
