/** What is in the tables: equal before and after means that nothing was written, not even over what was there. */
import { tablesOf } from "../world/operator.ts";
import type { World } from "../world/world.ts";

/** Kept by any request, whatever becomes of it: how often a version was called. */
const ownPace = "gateway.version_use";

/** Rows as text without what moves by itself: an order's chaser by the clock, a key's last use by any request. */
const still: Readonly<Record<string, string>> = {
  "orders.payment_order":
    "(to_jsonb(t) - 'due_at' || jsonb_build_object('progress', t.progress - 'timeoutCount'))::text",
  "gateway.api_key": "(to_jsonb(t) - 'last_used_at')::text",
};
const textOf = (table: string) => still[table] ?? "t::text";

/** Rows and a sum over their contents for each table of the five services. */
export async function contentsOf(world: World): Promise<Record<string, string>> {
  const tables = (await tablesOf(world)).filter((table) => table !== ownPace);
  const sums = tables.map(
    (table) =>
      `select '${table}' as name, concat(count(*), ' rows, sum ', sum(hashtextextended(${textOf(table)}, 0)::numeric)) as contents from ${table} t`,
  );
  const rows = await world.rows<{ name: string; contents: string }>(sums.join(" union all "));
  return Object.fromEntries(rows.map(({ name, contents }) => [name, contents]));
}
