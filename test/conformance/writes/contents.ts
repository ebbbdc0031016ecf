/** The contents of all tables. Equal before and after means that nothing was written or overwritten. */
import { tablesOf } from "../../world/system/operator.ts";
import type { World } from "../../world/world.ts";

/** Written in the background after a refused request, too: how often a version was called, and what was refused. */
const ownPace = new Set(["gateway.version_use", "gateway.refused_request"]);

/** Rows as text, without the columns that clocks and reads change: an order's timers, a key's last use. */
const still: Readonly<Record<string, string>> = {
  "orders.payment_order":
    "(to_jsonb(t) - 'due_at' || jsonb_build_object('progress', t.progress #- '{timers,timeoutCount}'))::text",
  "gateway.api_key": "(to_jsonb(t) - 'last_used_at')::text",
  // An advance that is under way is leased, and goes on.
  "rails.clock_advance": "t.advance_id::text",
};
const textOf = (table: string) => still[table] ?? "t::text";

/** For each table of the five services: its number of rows and a checksum of their contents. */
export async function contentsOf(world: World): Promise<Record<string, string>> {
  const tables = (await tablesOf(world)).filter((table) => !ownPace.has(table));
  const sums = tables.map(
    (table) =>
      `select '${table}' as name, concat(count(*), ' rows, sum ', sum(hashtextextended(${textOf(table)}, 0)::numeric)) as contents from ${table} t`,
  );
  const rows = await world.rows<{ name: string; contents: string }>(sums.join(" union all "));
  return Object.fromEntries(rows.map(({ name, contents }) => [name, contents]));
}
