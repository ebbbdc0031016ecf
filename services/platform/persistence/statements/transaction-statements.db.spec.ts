import { Socket } from "node:net";
import pg from "pg";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../../test/stack/database/units.ts";
import { until } from "../../../../test/stack/until.ts";
import { isInfrastructureFault } from "../infrastructure-fault.ts";
import { pipeline } from "../pipeline.ts";
import type { PooledConnection } from "./statement-batch.ts";
import { TransactionStatements } from "./transaction-statements.ts";

const units = await forThisFile(openFreshUnits("rails"));
const { database } = units;

/** Begins transactions on one connection. */
async function connect() {
  const client = new pg.Client({ connectionString: units.url, pipeline: true });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  const released: boolean[] = [];
  const connection = Object.assign(client, {
    release: (destroy = false) => released.push(destroy),
  }) as unknown as PooledConnection;
  return { client, released, begin: () => new TransactionStatements(connection, () => [["begin"]]) };
}

const noteDown =
  "insert into failed_message (message_id, type, failures, last_error) values (gen_random_uuid(), $1, 1, '')";
const repeat = "insert into inbox (message_id) values ($1), ($1)";
const id = "019c0000-0000-7000-8000-000000000001";

/** What the last test noted down. */
async function noted(): Promise<string[]> {
  const rows = await database.sql<{ type: string }>("select type from failed_message");
  return rows.map(({ type }) => type).filter((type) => !earlier.has(type));
}

/** What each statement failed with; null if it did not fail. */
async function errorsOf(sent: readonly Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(sent);
  return outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : null));
}

/** The statements that were sent up to now are on their way, and none is answered. */
const areSent = () => new Promise<void>((resolve) => process.nextTick(resolve));

const earlier = new Set<string>();
afterEach(async () => {
  for (const type of await noted()) earlier.add(type);
});

describe("the columns of a statement that the connection keeps", () => {
  const counted = async () => {
    const { client, begin } = await connect();
    let descriptions = 0;
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    connection.on("rowDescription", () => (descriptions += 1));
    const run = async (text: string, value: number) => {
      const transaction = begin();
      const sent = transaction.send(text, [value]);
      await sent.then(() => transaction.commit()).catch(() => transaction.rollBack());
      return (await sent).rows;
    };
    return { run, descriptions: () => descriptions };
  };

  it("are described once, and all its rows have them", async () => {
    const { run, descriptions } = await counted();
    const numbers = "select n, n * 2 as twice from generate_series(1, $1::int) n";
    const two = [
      { n: 1, twice: 2 },
      { n: 2, twice: 4 },
    ];
    expect(await run(numbers, 2)).toEqual(two);
    expect(await run(numbers, 0)).toEqual([]);
    expect(await run(numbers, 2)).toEqual(two);
    expect(descriptions()).toBe(1);
  });

  it("are described again after a first run that failed", async () => {
    const { run, descriptions } = await counted();
    const divided = "select 6 / n as divided from generate_series($1::int, $1::int) n";
    await expect(run(divided, 0)).rejects.toMatchObject({ code: "22012" });
    expect(await run(divided, 2)).toEqual([{ divided: 3 }]);
    expect(await run(divided, 3)).toEqual([{ divided: 2 }]);
    expect(descriptions()).toBe(2);
  });
});

describe("a transaction that reads and then writes", () => {
  it("leaves in two writes: begin and reads, then writes and commit", async () => {
    await database.transaction(({ sql }) => sql("select 1")); // from now on the pool has a connection
    const together = vi.spyOn(Socket.prototype, "_writev");
    const alone = vi.spyOn(Socket.prototype, "_write");
    const read = await database.transaction(
      async ({ sql, withCommit }) => {
        const rows = await pipeline(
          sql,
          (tx) => tx("select 1"),
          (tx) => tx("select 2"),
        );
        withCommit(sql(noteDown, ["one of two"]));
        withCommit(sql(noteDown, ["two of two"]));
        return rows;
      },
      ({ sql }) => sql(noteDown, ["last"]),
    );
    const toPostgres = (socket: unknown) => (socket as Socket).remotePort === Number(new URL(units.url).port);
    const writes = [together, alone].map(({ mock }) => mock.contexts.filter(toPostgres).length);
    together.mockRestore();
    alone.mockRestore();
    expect(read).toHaveLength(2);
    expect(writes).toEqual([2, 0]);
    expect(new Set(await noted())).toEqual(new Set(["one of two", "two of two", "last"]));
  });

  it("throws the error of a write that travels with the commit, as its caller explains it", async () => {
    const refused = database.transaction(
      async ({ sql, withCommit }) => {
        withCommit(sql(noteDown, ["before the refusal"]));
        withCommit(
          sql("select 1 / 0").catch(() => {
            throw new RangeError("nothing is divided by zero");
          }),
        );
        await Promise.resolve();
      },
      ({ sql }) => sql(noteDown, ["after the refusal"]),
    );
    await expect(refused).rejects.toThrow("nothing is divided by zero");
    expect(await noted()).toEqual([]);
  });
});

it("a begin that is refused has nothing behind it run, in its batch or after it", async () => {
  const { client, begin } = await connect();
  await begin().commit();
  // From now on Postgres refuses the begin: it was prepared under a name, which is gone.
  await client.query("deallocate all");
  const statements = begin();
  const together = statements.send(noteDown, ["together"]);
  await areSent();
  const later = statements.send(noteDown, ["later"]);
  const [first, ...others] = await errorsOf([together, later, statements.commit()]);
  expect(first).toMatchObject({ code: "26000" });
  expect(others).toEqual([first, first]);
  await statements.rollBack();
  expect(await noted()).toEqual([]);
});

describe("a statement that fails", () => {
  it("is the one whose error is thrown, and has those behind it skipped, the commit included", async () => {
    const { begin } = await connect();
    const statements = begin();
    const before = statements.send(noteDown, ["before"]);
    const failing = statements.send(repeat, [id]);
    const after = statements.send("select 1 / 0");
    const [none, ...failed] = await errorsOf([before, failing, after, statements.commit()]);
    expect(none).toBeNull();
    expect(failed[0]).toMatchObject({ code: "23505", constraint: "inbox_pkey" });
    expect(failed).toEqual([failed[0], failed[0], failed[0]]);
    await statements.rollBack();
    expect(await noted()).toEqual([]);
  });

  it("has a stack that leads to where it was sent", async () => {
    const { begin } = await connect();
    const statements = begin();
    async function divideByZero() {
      await statements.send("select 1 / 0");
    }
    const [error] = await errorsOf([divideByZero(), statements.send("select 1")]);
    expect(error).toHaveProperty("stack", expect.stringContaining("divideByZero"));
    await statements.rollBack();
  });

  it("leaves the connection usable when Postgres could not parse it, also for those that were skipped", async () => {
    const { begin } = await connect();
    for (let time = 0; time < 2; time += 1) {
      const refused = begin();
      const sent = [refused.send("selec $1::int", [1]), refused.send("select $1::int + 7 as sum", [1])];
      const [syntax, skipped] = await errorsOf(sent);
      expect(syntax).toMatchObject({ code: "42601" });
      expect(skipped).toBe(syntax);
      await refused.rollBack();
    }
    const statements = begin();
    expect((await statements.send("select $1::int + 7 as sum", [1])).rows).toEqual([{ sum: 8 }]);
    await statements.commit();
  });

  it("leaves no statement behind that was not sent yet", async () => {
    const { client, begin, released } = await connect();
    const statements = begin();
    const unsent = statements.send(noteDown, ["unsent"]);
    await Promise.all([expect(unsent).rejects.toThrow("after the end"), statements.rollBack()]);
    const { rows } = await client.query("select now() = statement_timestamp() as outside");
    expect([rows, released, await noted()]).toEqual([[{ outside: true }], [false], []]);
  });

  it("does so too for a value without a text, and nothing of its turn is sent in part", async () => {
    const { begin } = await connect();
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const statements = begin();
    const [none, circular] = await errorsOf([
      statements.send(noteDown, ["before"]),
      statements.send(noteDown, [circle]),
    ]);
    expect(none).toBeNull();
    expect(circular).toBeInstanceOf(TypeError);
    await statements.rollBack();
    expect(await noted()).toEqual([]);
  });
});

it("the same statement twice in a turn is parsed once, and has two answers", async () => {
  const { begin } = await connect();
  const statements = begin();
  const sent = [1, 2].map((value) => statements.send("select $1::int as value", [value]));
  const answers = await Promise.all(sent);
  expect(answers.map(({ rows }) => rows)).toEqual([[{ value: 1 }], [{ value: 2 }]]);
  await statements.commit();
});

it("an answer has its rows, how many were changed, and its command", async () => {
  const { begin } = await connect();
  const statements = begin();
  const [written, empty, nothing] = await Promise.all([
    statements.send(noteDown, ["written"]),
    statements.send("select type from failed_message where false"),
    statements.send(""),
  ]);
  expect(written).toMatchObject({ rows: [], rowCount: 1, command: "INSERT" });
  expect(empty).toMatchObject({ rows: [], rowCount: 0, command: "SELECT" });
  expect(nothing).toMatchObject({ rows: [] });
  await statements.commit();
  expect(await noted()).toEqual(["written"]);
});

describe("a connection that breaks while Postgres is at the batch", () => {
  const lock = "select pg_advisory_xact_lock(30)";

  /** The process of Postgres that waits for `lock`. */
  async function waitingProcess(): Promise<number> {
    const { pid } = await until(async () => {
      const [row] = await database.sql<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
      );
      return row;
    });
    return pid;
  }

  it("has neither a part of the batch nor its commit take effect", async () => {
    const held = Promise.withResolvers<void>();
    const holds = Promise.withResolvers<void>();
    const holder = database.transaction(async ({ sql }) => {
      await sql(lock);
      holds.resolve();
      await held.promise;
    });
    await holds.promise;
    const broken = database.transaction(async ({ sql, withCommit }) => {
      withCommit(sql(noteDown, ["first"]));
      withCommit(sql(lock));
      withCommit(sql(noteDown, ["second"]));
      await Promise.resolve();
    });
    const [error] = await Promise.all([
      errorsOf([broken]),
      waitingProcess().then((pid) => database.sql("select pg_terminate_backend($1)", [pid])),
    ]);
    expect(error).toEqual([expect.toSatisfy(isInfrastructureFault)]);
    held.resolve();
    await holder;
    expect(await noted()).toEqual([]);
    expect(await database.isHealthy()).toBe(true);
  });

  it("goes back to the pool as broken", async () => {
    const { client, begin, released } = await connect();
    const statements = begin();
    await expect(statements.send("select pg_terminate_backend(pg_backend_pid())")).rejects.toSatisfy(
      isInfrastructureFault,
    );
    await statements.rollBack();
    expect([released, await errorsOf([client.query("select 1")])]).toEqual([
      [true],
      [expect.objectContaining({ message: expect.stringMatching(/queryable|terminated/) })],
    ]);
  });
});
