import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { type LedgerWorld, openLedger } from "../../../test/ledger/world.ts";
import { openUnits, type TestUnits } from "../../../test/stack/units.ts";
import { isInfrastructureFault } from "../../platform/persistence/infrastructure-fault.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { holdOf, sampleBook } from "../../../test/ledger/commands.ts";
import { lockBooks } from "../posting/store/lock-books.ts";

// A transaction that never ends holds its book's head, and with it every payment of that book: Postgres ends it.
// The limits are those of a service, a hundred times as short.
let world: LedgerWorld;
let stuck: TestUnits;
beforeAll(async () => {
  world = await openLedger();
  stuck = await openUnits(world.url, { lock: 100, idleInTransaction: 150, statement: 300, transaction: 600 });
});
afterAll(async () => {
  await stuck.close();
  await world.close();
});

/** Takes the head of the book and does `act`: when it has the head, and what becomes of the transaction. */
function holdingHead(act: (sql: Sql) => Promise<unknown>) {
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

async function othersGoOn(): Promise<void> {
  const [outcome] = await world.writes(holdOf(newId("po"), await world.opens(), 5));
  expect(outcome?.result).toBe("Appended");
  expect(await world.faults()).toEqual([]);
}

describe("a transaction that holds a book's head and", () => {
  it.each<[string, string, (sql: Sql) => Promise<unknown>]>([
    ["does nothing more is ended", "25P03", () => new Promise((wake) => setTimeout(wake, 1_000))],
    ["runs one statement without end is ended", "57014", (sql) => sql("select pg_sleep(60)")],
    [
      "runs one short statement after the other is ended",
      "25P04",
      async (sql) => {
        for (;;) await sql("select pg_sleep(0.05)");
      },
    ],
  ])("%s, as %s, and its book goes on", async (_what, code, act) => {
    const { held, ended } = holdingHead(act);
    await held;
    await othersGoOn();
    const error = await ended;
    expect(error).toSatisfy(isInfrastructureFault);
    // Of an idle session's end the driver may only know that the connection is gone.
    expect([code, undefined]).toContain((error as { code?: string }).code);
  });

  it("waits for another's lock gives up, and says that it is nobody's fault", async () => {
    const held = world.units.database.transaction(async ({ sql }) => {
      await lockBooks(sql, [sampleBook]);
      expect(await holdingHead(() => Promise.resolve()).ended).toMatchObject({ code: "55P03" });
    });
    await held;
    await othersGoOn();
  });
});

it("a service's own limits are on every session that it opens", async () => {
  const [limits] = await world.units.database.sql(
    `select current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
       current_setting('statement_timeout') as statement, current_setting('transaction_timeout') as transaction`,
  );
  expect(limits).toEqual({ lock: "10s", idle: "15s", statement: "30s", transaction: "1min" });
});
