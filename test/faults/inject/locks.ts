/** Locks that stop a service at a step of its own transaction, so that a fault hits exactly there. */
import pg from "pg";
import type { Service } from "../../../contracts/message.ts";
import { until } from "../../stack/until.ts";
import type { World } from "../../world/world.ts";

/** Runs `during` while another session holds a lock that a service needs. */
export async function holding(world: World, lock: string, during: () => Promise<void>): Promise<void> {
  const session = new pg.Client(world.system.adminUrl);
  await session.connect();
  try {
    await session.query("begin");
    await session.query(lock);
    await during();
  } finally {
    await session.end();
  }
}

/**
 * Waits until sessions of the service wait for a lock in this statement, or in one that contains this text.
 * Others, such as housekeeping at a start, may wait for the same lock. Returns how many sessions wait.
 */
export function waitsForLock(world: World, service: Service, statement: string): Promise<number> {
  return until(`${service} at its lock`, async () => {
    const waiting = await sessionsAtLock(world, service, statement);
    return waiting > 0 ? waiting : undefined;
  });
}

/** How many sessions of the service wait for a lock in a statement that contains this text. */
export function sessionsAtLock(world: World, service: Service, statement: string): Promise<number> {
  return count(
    world,
    `select count(*)::int as count
     from pg_stat_activity
     where datname = current_database()
       and usename = $1
       and wait_event_type = 'Lock'
       and position($2 in query) > 0`,
    [service, statement],
  );
}

/** The first row's `count`. */
export async function count(world: World, sql: string, params: unknown[] = []): Promise<number> {
  const [row] = await world.rows<{ count: number }>(sql, params);
  return row?.count ?? 0;
}
