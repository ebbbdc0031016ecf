import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../../test/stack/database/units.ts";
import { wayTo } from "../../../../test/stack/servers/way-to-server.ts";
import { answerWithinMs } from "../database.ts";
import { isInfrastructureFault } from "../infrastructure-fault.ts";
import { sessionLimits, sessionOptions } from "../session-limits.ts";
import type { PooledConnection } from "./statement-batch.ts";
import { TransactionStatements } from "./transaction-statements.ts";

const units = await forThisFile(openFreshUnits("rails"));

/** A connection over a way that can be muted, and how it was given back to the pool. */
async function connect(options: pg.ClientConfig = {}) {
  const way = await wayTo(units.url);
  const client = new pg.Client({ connectionString: way.url, pipeline: true, ...options } as pg.ClientConfig);
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => way.close());
  const released: boolean[] = [];
  const connection = Object.assign(client, {
    release: (destroy = false) => released.push(destroy),
  }) as unknown as PooledConnection;
  return { way, client, connection, released };
}

/** Long enough for an answer on a slow machine. */
const enoughMs = 60_000;
let limitMs = enoughMs;
const begin = (connection: PooledConnection) => {
  limitMs = enoughMs;
  return new TransactionStatements(
    connection,
    () => [["begin"]],
    () => limitMs,
  );
};

it("a transaction whose server answers no more fails, and its connection is thrown away", async () => {
  const { way, connection, released } = await connect();
  const transaction = begin(connection);
  expect((await transaction.send("select 7 as seven")).rows).toEqual([{ seven: 7 }]);
  way.mute();
  limitMs = 100;
  const error = await transaction.send("select 8").catch((thrown: unknown) => thrown);
  expect(isInfrastructureFault(error)).toBe(true);
  await transaction.rollBack();
  expect(released).toEqual([true]);
});

it("a commit whose answer is lost says that it may have happened", async () => {
  const { way, connection } = await connect();
  const transaction = begin(connection);
  await transaction.send("select 1");
  way.mute();
  limitMs = 100;
  await expect(transaction.commit()).rejects.toThrow("Query read timeout");
  expect(transaction.mayHaveCommitted).toBe(true);
  await transaction.rollBack();
});

it.each(["select 1", "select 1 / 0"])("the answer to %s stops the wait", async (text) => {
  const { connection } = await connect();
  const set = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  onTestFinished(() => void vi.restoreAllMocks());
  const transaction = begin(connection);
  await transaction.send(text).catch(() => undefined);
  const waits = set.mock.calls.flatMap(([, ms], call) =>
    ms === enoughMs ? [set.mock.results[call]?.value] : [],
  );
  expect(waits).toHaveLength(1);
  expect(cleared).toHaveBeenCalledWith(waits[0]);
  await transaction.rollBack();
});

it("the answer to a request's statement may come until a while after its deadline", () => {
  expect(answerWithinMs(undefined)).toBe(0);
  expect(answerWithinMs(Date.now() - 5_000)).toBe(10_000);
  expect(answerWithinMs(Date.now() + 3_600_000)).toBeGreaterThan(3_600_000);
});

it("a session waits longer than Postgres lets a transaction take, then no more", async () => {
  expect(sessionOptions().query_timeout).toBeGreaterThan(sessionLimits.transaction);
  const { way, client } = await connect({ ...sessionOptions(), query_timeout: 100 });
  way.mute();
  await expect(client.query("select 1")).rejects.toThrow("Query read timeout");
});
