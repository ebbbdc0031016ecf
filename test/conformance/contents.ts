/** What is in the tables: equal before and after means that nothing was written, not even over what was there. */
import { tablesOf } from "../world/operator.ts";
import type { World } from "../world/world.ts";

/** Kept by the clock or by any request, whatever becomes of it: when a key was used, how often a version was. */
const ownPace = /api_key|version_use/;

/** A row as text; of an order without what its chaser moves on by the clock while it waits. */
const textOf = (table: string) =>
  table === "orders.payment_order"
    ? "(to_jsonb(t) - 'due_at' || jsonb_build_object('progress', t.progress - 'chases'))::text"
    : "t::text";

/** Rows and a sum over their contents for each table of the five services. */
export async function contentsOf(world: World): Promise<Record<string, string>> {
  const tables = (await tablesOf(world)).filter((table) => !ownPace.test(table));
  const sums = tables.map(
    (table) =>
      `select '${table}' as name, concat(count(*), ' rows, sum ', sum(hashtextextended(${textOf(table)}, 0)::numeric)) as contents from ${table} t`,
  );
  const rows = await world.rows<{ name: string; contents: string }>(sums.join(" union all "));
  return Object.fromEntries(rows.map(({ name, contents }) => [name, contents]));
}
