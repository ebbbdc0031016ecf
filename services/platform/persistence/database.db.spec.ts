import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { createDatabase } from "../../../test/stack/servers/database.ts";
import { openUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { DeadlinePassed } from "./database.ts";
import { isInfrastructureFault } from "./infrastructure-fault.ts";
import { pipeline } from "./pipeline.ts";
import type { Sql } from "./sql.ts";

const units = await forThisFile(openFreshUnits("rails"));
const database = units.database;

const noteDown =
  "insert into failed_message (message_id, type, failures, last_error) values (gen_random_uuid(), $1, 1, '')";
const noted = async (type: string) =>
  (await database.sql("select 1 from failed_message where type = $1", [type])).length;

describe("a transaction", () => {
  it("commits and returns the result of its work", async () => {
    expect(await database.transaction(async ({ sql }) => (await sql(noteDown, ["kept"]), 7))).toBe(7);
    expect(await noted("kept")).toBe(1);
  });

  it("rolls back when its work throws, and throws the same error", async () => {
    const refused = database.transaction(async ({ sql }) => {
      await sql(noteDown, ["undone"]);
      throw new RangeError("no");
    });
    await expect(refused).rejects.toThrow(RangeError);
    expect(await noted("undone")).toBe(0);
  });

  it("reports a failed statement by SQLSTATE and constraint", async () => {
    const twice = database.transaction(async ({ sql }) => {
      const id = "019c0000-0000-7000-8000-000000000001";
      await sql("insert into inbox (message_id) values ($1), ($1)", [id]);
    });
    await expect(twice).rejects.toMatchObject({ code: "23505", constraint: "inbox_pkey" });
  });
});

it("a transaction uses generic plans, and a read plans for its values", async () => {
  const text = "select current_setting('plan_cache_mode') as mode";
  expect(await database.transaction(({ sql }) => sql(text))).toEqual([{ mode: "force_generic_plan" }]);
  expect(await database.read([], (sql) => sql(text))).toEqual([{ mode: "auto" }]);
});

it("a statement outside a transaction plans for its values, unless it asks to keep its plan", async () => {
  const text = "select current_setting('plan_cache_mode') as mode";
  expect(await database.sql(text)).toEqual([{ mode: "auto" }]);
  expect(await database.sqlWithKeptPlan(text)).toEqual([{ mode: "force_generic_plan" }]);
});

describe("statements that are sent together", () => {
  it("run in the order in which they were sent", async () => {
    const seen = await database.transaction(async ({ sql }) => {
      const [, rows] = await pipeline(
        sql,
        (tx) => tx(noteDown, ["together"]),
        (tx) => tx("select 1 from failed_message where type = 'together'"),
      );
      return rows.length;
    });
    expect(seen).toBe(1);
  });

  it("fail with the first error among them, and leave no change", async () => {
    const refused = database.transaction(({ sql }) =>
      pipeline(
        sql,
        (tx) => tx(noteDown, ["before the fault"]),
        (tx) => tx("select 1 / 0"),
        (tx) => tx(noteDown, ["after the fault"]),
      ),
    );
    await expect(refused).rejects.toMatchObject({ code: "22012" });
    expect((await noted("before the fault")) + (await noted("after the fault"))).toBe(0);
  });

  it("together with the commit prevent it when they fail", async () => {
    const refused = database.transaction(
      ({ sql }) => sql(noteDown, ["committed too early"]),
      ({ sql }) => sql("select 1 / 0"),
    );
    await expect(refused).rejects.toMatchObject({ code: "22012" });
    expect(await noted("committed too early")).toBe(0);
  });

  it("refuse a statement after the commit, which writes nothing", async () => {
    let kept: Sql | undefined;
    const late = database.transaction(
      async ({ sql }) => {
        kept = sql;
        await sql(noteDown, ["in time"]);
      },
      async ({ sql }) => {
        await Promise.resolve(); // the commit goes out here
        await sql(noteDown, ["too late"]);
      },
    );
    await expect(late).rejects.toThrow("after the end of its transaction");
    await expect(kept?.(noteDown, ["much too late"])).rejects.toThrow("after the end of its transaction");
    expect([await noted("too late"), await noted("much too late")]).toEqual([0, 0]);
  });

  it("roll the transaction back when they fail, even if nobody awaits them", async () => {
    const unawaited = database.transaction(async ({ sql }) => {
      await sql(noteDown, ["unawaited"]);
      sql("select 1 / 0").catch(() => undefined);
    });
    await expect(unawaited).rejects.toMatchObject({ code: "22012" });
    expect(await noted("unawaited")).toBe(0);
  });
});

describe("a deadline", () => {
  const lock = "select pg_advisory_xact_lock(7)";
  const nothing = () => Promise.resolve();
  const isLate = (deadline: number) => until(() => Promise.resolve(Date.now() > deadline + 5));

  it.each<[string, (deadline: number) => Parameters<typeof database.transaction>]>([
    ["a statement waits for a lock", (deadline) => [({ sql }) => sql(lock), nothing, deadline]],
    [
      "the last statement waits, with the commit behind it",
      (deadline) => [nothing, ({ sql }) => sql(lock), deadline],
    ],
    [
      "nothing is sent",
      (deadline) => [({ sql }) => isLate(deadline).then(() => sql("select 1")), nothing, deadline],
    ],
  ])("rolls the transaction back while %s", async (_what, inTransaction) => {
    const holds = Promise.withResolvers<void>();
    const isOver = Promise.withResolvers<void>();
    const holder = database.transaction(async ({ sql }) => {
      await sql(lock);
      holds.resolve();
      await isOver.promise;
    });
    await holds.promise;
    const [work, last, deadline] = inTransaction(Date.now() + 50);
    const late = database.transaction(
      async (tx) => {
        await tx.sql(noteDown, ["after the deadline"]);
        return work(tx);
      },
      last,
      deadline,
    );
    await expect(late).rejects.toThrow(DeadlinePassed);
    isOver.resolve();
    await holder;
    expect(await noted("after the deadline")).toBe(0);
  });

  it("lets no commit through that comes after it", async () => {
    const deadline = Date.now() + 50;
    const late = database.transaction(
      async ({ sql }) => {
        await sql(noteDown, ["commit after the deadline"]);
        await isLate(deadline);
      },
      nothing,
      deadline,
    );
    await expect(late).rejects.toThrow(DeadlinePassed);
    expect(await noted("commit after the deadline")).toBe(0);
  });

  it("that has passed already sends nothing", async () => {
    const late = database.transaction(({ sql }) => sql(noteDown, ["too late"]), nothing, Date.now() - 1);
    await expect(late).rejects.toThrow(DeadlinePassed);
    expect(await noted("too late")).toBe(0);
  });

  it("ends with its transaction", async () => {
    const limitOf = "select current_setting('transaction_timeout') as limit, pg_backend_pid() as pid";
    const { sql } = database;
    await database.transaction(({ sql: own }) => own("select 1"), nothing, Date.now() + 30_000);
    for (let time = 0; time < 24; time += 1) expect(await sql(limitOf)).toMatchObject([{ limit: "1min" }]);
  });
});

describe("a read", () => {
  it("begins with its opening, can't write, and has one snapshot", async () => {
    const counts = await database.read(["set local work_mem = '1MB'"], async (sql) => {
      const [opened] = await sql<{ memory: string }>("select current_setting('work_mem') as memory");
      expect(opened).toEqual({ memory: "1MB" });
      const before = await sql("select 1 from failed_message");
      await database.sql(noteDown, ["beside the read"]);
      return [before.length, (await sql("select 1 from failed_message")).length];
    });
    expect(counts[0]).toBe(counts[1]);
    expect(await noted("beside the read")).toBe(1);
    const writing = database.read([], (sql) => sql(noteDown, ["in the read"]));
    await expect(writing).rejects.toMatchObject({ code: "25006" });
    expect(await noted("in the read")).toBe(0);
  });

  it("returns no row when its opening failed, and throws that error", async () => {
    let seen: unknown = "nothing";
    const refused = database.read(["set local role nobody_at_all"], async (sql) => {
      seen = await sql("select 1");
    });
    await expect(refused).rejects.toMatchObject({ code: "22023" });
    expect(seen).toBe("nothing");
  });

  it("leaves no setting of its opening on the connection, however it ends", async () => {
    const role = "select current_user::text as role, current_setting('work_mem') as memory";
    const [own] = await database.sql(role);
    for (let time = 0; time < 24; time += 1) {
      const failing = time % 2 === 0 ? "select 1 / 0" : "select 1";
      await database.read(["set local work_mem = '1MB'"], (sql) => sql(failing)).catch(() => undefined);
      expect(await database.sql(role)).toEqual([own]);
    }
  });

  it("refuses a statement after its end", async () => {
    let kept: Sql | undefined;
    await database.read([], async (sql) => {
      kept = sql;
      await sql("select 1");
    });
    await expect(kept?.("select 1")).rejects.toThrow("after the end of its transaction");
  });
});

describe("a connection that breaks", () => {
  const terminate = "select pg_terminate_backend(pg_backend_pid())";

  it("during a transaction leaves the pool at its full size", async () => {
    // More than the pool's size.
    for (let time = 0; time < 12; time += 1) {
      const broken = database.transaction(({ sql }) => sql(terminate));
      await expect(broken).rejects.toSatisfy(isInfrastructureFault);
      const cut = database.read([], (sql) => sql(terminate));
      await expect(cut).rejects.toSatisfy(isInfrastructureFault);
    }
    expect(await database.isHealthy()).toBe(true);
    expect(await database.transaction(async ({ sql }) => (await sql("select 1")).length)).toBe(1);
  });

  it("between two statements fails the transaction, not the process", async () => {
    const broken = database.transaction(async ({ sql }) => {
      const [own] = await sql<{ pid: number }>("select pg_backend_pid() as pid");
      await database.sql("select pg_terminate_backend($1)", [own?.pid]);
      await sql("select 1");
    });
    await expect(broken).rejects.toSatisfy(isInfrastructureFault);
    expect(await database.isHealthy()).toBe(true);
  });
});

describe("values", () => {
  it("are exact: int8 as bigint, also in arrays, timestamptz as Date, jsonb parsed", async () => {
    const [row] = await database.sql(
      `select 9007199254740993::int8 as big, '{1,9007199254740993}'::int8[] as bigs, '{}'::int8[] as none,
              '2026-03-04T17:00:00.123Z'::timestamptz as at, '{"a":[1]}'::jsonb as json`,
    );
    expect(row).toEqual({
      big: 9007199254740993n,
      bigs: [1n, 9007199254740993n],
      none: [],
      at: new Date("2026-03-04T17:00:00.123Z"),
      json: { a: [1] },
    });
  });
});

it("a database that does not answer is unhealthy", async () => {
  const other = await createDatabase("rails");
  const gone = await openUnits(other.urlOf("rails"));
  expect(await gone.database.isHealthy()).toBe(true);
  await other.drop();
  expect(await gone.database.isHealthy()).toBe(false);
  await gone.close();
});
