import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../../test/stack/database/units.ts";
import { wayTo } from "../../../../test/stack/servers/muted-server.ts";
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
let answerWithinMs = enoughMs;
const begin = (connection: PooledConnection) => {
  answerWithinMs = enoughMs;
  return new TransactionStatements(
    connection,
    () => [["begin"]],
    () => answerWithinMs,
  );
};

it("a transaction whose server answers no more fails, and its connection is thrown away", async () => {
  const { way, connection, released } = await connect();
  const transaction = begin(connection);
  expect((await transaction.send("select 7 as seven")).rows).toEqual([{ seven: 7 }]);
  way.mute();
  answerWithinMs = 100;
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
  answerWithinMs = 100;
  await expect(transaction.commit()).rejects.toThrow("Query read timeout");
  expect(transaction.mayHaveCommitted).toBe(true);
  await transaction.rollBack();
});

it.each(["select 1", "select 1 / 0"])("the answer to %s stops the wait", async (text) => {
  const { connection } = await connect();
  const waits = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = waits();
  const transaction = begin(connection);
  await transaction.send(text).catch(() => undefined);
  expect(waits()).toBe(before);
  await transaction.rollBack();
});

it("a session waits longer than Postgres lets a transaction take, then no more", async () => {
  expect(sessionOptions().query_timeout).toBeGreaterThan(sessionLimits.transaction);
  const { way, client } = await connect({ ...sessionOptions(), query_timeout: 100 });
  way.mute();
  await expect(client.query("select 1")).rejects.toThrow("Query read timeout");
});
