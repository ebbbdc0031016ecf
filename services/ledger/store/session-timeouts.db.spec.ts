import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { type LedgerWorld, openLedger } from "../../../test/ledger/world.ts";
import { openUnits, type TestUnits } from "../../../test/stack/database/units.ts";
import { isInfrastructureFault } from "../../platform/persistence/infrastructure-fault.ts";
import { type SessionLimits, sessionLimits } from "../../platform/persistence/session-limits.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { holdOf, sampleBook } from "../../../test/ledger/commands.ts";
import { lockBooks } from "../posting/store/lock-books.ts";

// A transaction that never ends would hold its book's head and block every payment of that book, so Postgres ends it.
// Each case has one limit that is short, so that no other one ends its transaction first on a busy machine.
let world: LedgerWorld;
const opened: TestUnits[] = [];
beforeAll(async () => {
  world = await openLedger();
});
afterAll(async () => {
  for (const units of opened) await units.close();
  await world.close();
});

/**
 * Locks the book's head and runs `act` within these limits. `held` resolves with the lock, `ended` with the
 * transaction's error.
 */
async function holdingHead(limits: Partial<SessionLimits>, act: (sql: Sql) => Promise<unknown>) {
  const stuck = await openUnits(world.units.url, { ...sessionLimits, ...limits });
  opened.push(stuck);
  const held = Promise.withResolvers<void>();
  const ended = stuck.units
    .run(async ({ sql }) => {
      await lockBooks(sql, [sampleBook]);
      held.resolve();
      await act(sql);
    })
    .then(
      () => "it went through",
      (error: unknown) => error,
    );
  return { held: held.promise, ended };
}

/**
 * The error that ends a transaction which `act` makes last longer than this limit. On a slow machine a short limit may
 * end it before it holds the head; then it gets twice as long.
 */
async function endOf(limit: keyof SessionLimits, limitMs: number, act: Act): Promise<unknown> {
  const { held, ended } = await holdingHead({ [limit]: limitMs }, (sql) => act(sql, limitMs));
  const holdsHead = await Promise.race([held.then(() => true), ended.then(() => false)]);
  if (!holdsHead) return endOf(limit, 2 * limitMs, act);
  await othersGoOn();
  return ended;
}

type Act = (sql: Sql, limitMs: number) => Promise<unknown>;

async function othersGoOn(): Promise<void> {
  const [outcome] = await world.writes(holdOf(newId("po"), await world.opens(), 5));
  expect(outcome?.result).toBe("Appended");
  expect(await world.faults()).toEqual([]);
}

describe("a transaction that holds a book's head and", () => {
  it.each<[string, string, keyof SessionLimits, number, Act]>([
    [
      "then idles is ended",
      "25P03",
      "idleInTransaction",
      150,
      (_sql, limitMs) => new Promise((wake) => setTimeout(wake, 7 * limitMs)),
    ],
    ["runs one endless statement is ended", "57014", "statement", 300, (sql) => sql("select pg_sleep(60)")],
    [
      "runs one short statement after the other is ended",
      "25P04",
      "transaction",
      600,
      async (sql) => {
        for (;;) await sql("select pg_sleep(0.05)");
      },
    ],
  ])("%s, as %s, and its book continues", async (_what, code, limit, limitMs, act) => {
    const error = await endOf(limit, limitMs, act);
    expect(error).toSatisfy(isInfrastructureFault);
    // For an idle session the driver may only report a closed connection.
    expect([code, undefined]).toContain((error as { code?: string }).code);
  });

  it("waits for another's lock gives up with an infrastructure error", async () => {
    const held = world.units.database.transaction(async ({ sql }) => {
      await lockBooks(sql, [sampleBook]);
      const { ended } = await holdingHead({ lock: 100 }, () => Promise.resolve());
      expect(await ended).toMatchObject({ code: "55P03" });
    });
    await held;
    await othersGoOn();
  });
});

it("every session of a service has the service's limits", async () => {
  const [limits] = await world.units.database.sql(
    `select current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
       current_setting('statement_timeout') as statement, current_setting('transaction_timeout') as transaction`,
  );
  expect(limits).toEqual({ lock: "3s", idle: "15s", statement: "30s", transaction: "1min" });
});
