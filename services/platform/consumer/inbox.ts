import type { AnyFact } from "../../../contracts/message.ts";
import type { Database } from "../persistence/database.ts";
import type { Sql } from "../persistence/sql.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/** Takes facts in and gives those that are new, in their order: a repeat is dropped before it costs anything. */
export async function takeIn(sql: Sql, facts: readonly AnyFact[]): Promise<AnyFact[]> {
  const rows = await sql<{ fact_id: string }>(
    `insert into inbox (fact_id)
     select distinct id from unnest($1::uuid[]) as u (id) order by id
     on conflict do nothing
     returning fact_id`,
    [uuidArray(facts.map((fact) => fact.id))],
  );
  const fresh = new Set(rows.map((row) => row.fact_id));
  // delete() answers true once, so that a fact that stands twice in one batch is kept once.
  return facts.filter((fact) => fresh.delete(fact.id));
}

/** Counts a failure of a fact alone and gives how many there are now. The write proves the database healthy. */
export async function countFailure(database: Database, fact: AnyFact, reason: string): Promise<number> {
  const [row] = await database.sql<{ failures: number }>(
    `insert into failed_fact (fact_id, type, failures, last_error)
     values ($1, $2, 1, $3)
     on conflict on constraint failed_fact_pkey do update
       set failures = failed_fact.failures + 1,
           last_error = excluded.last_error,
           last_failed_at = now()
     returning failures`,
    [fact.id, fact.type, reason.slice(0, 2_000)],
  );
  return row?.failures ?? 1;
}

/** A dead-lettered fact is done with: its next delivery is a repeat. Redriving takes it out again. */
export async function closeDeadLetter(database: Database, fact: AnyFact): Promise<void> {
  await database.transaction(async ({ sql }) => {
    await sql("insert into inbox (fact_id) values ($1) on conflict do nothing", [fact.id]);
    await sql("update failed_fact set dead_lettered_at = now() where fact_id = $1", [fact.id]);
  });
}
