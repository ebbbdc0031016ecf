import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { SinksInstance } from "../../../test/stack/services/sinks.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { lockWaits } from "../../../test/stack/database/lock-waits.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { TestClock, requestContext } from "../../../test/stack/services/webhooks.ts";
import type { TestSink } from "../../../contracts/http/webhooks/test-sinks.ts";
import { idOf, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const clock = new TestClock();
let tester: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
const sinks = await forThisFile(SinksInstance.start(units, clock));
const another = await forThisFile(SinksInstance.start(units, clock));
beforeEach(() => {
  tester = requestContext();
});

async function post({ url }: TestSink, body = "{}"): Promise<number> {
  const { status } = await fetch(url, { method: "POST", body });
  return status;
}

const numbersOf = async (id: string, query: object = {}) =>
  (await sinks.requests(tester, id, query)).data.map(({ number }) => number);

const insertSinks = (count: number) =>
  units.database.sql(
    `insert into test_sink (id, book_id, respond, delay_ms, received, created_at)
     select gen_random_uuid(), $1, '{200}', 0, 0, now()
     from generate_series(1, $2)`,
    [uuidOf(tester.caller.book), count],
  );

describe("a sink", () => {
  it("can only be created and listed with a test key", async () => {
    const live = requestContext({ mode: "Live" });
    const refused = { code: "simulation_requires_test_key" };
    await expect(async () => sinks.create(live)).rejects.toMatchObject(refused);
    await expect(sinks.query.list({ limit: 10 }, live)).rejects.toMatchObject(refused);
  });

  it.each<[what: string, act: (id: string, context: RequestContext) => Promise<unknown>]>([
    ["read", (id, context) => sinks.query.get({ id }, context)],
    ["its requests listed", (id, context) => sinks.requests(context, id)],
    ["changed", (id, context) => sinks.update(context, id, { delayMs: 1 })],
    ["cleared", (id, context) => sinks.manage.clear({ id }, context)],
    ["deleted", (id, context) => sinks.manage.delete({ id }, context)],
  ])("of another book can't be %s", async (_what, act) => {
    const { id } = await sinks.create(tester);
    const live = requestContext({ tenant: tester.caller.tenant, mode: "Live" });
    const stranger = requestContext();
    await expect(act(id, stranger)).rejects.toMatchObject({ code: "not_found" });
    await expect(act(id, live)).rejects.toMatchObject({ code: "not_found" });
    await expect(act("sink_nothing", tester)).rejects.toMatchObject({ code: "not_found" });
    expect(await sinks.query.get({ id }, tester)).toMatchObject({ id, delayMs: 0 });
  });

  it("is listed newest first, with its script and how many requests it has received", async () => {
    const first = await sinks.create(tester, { respond: [500, { fault: "Hang" }] });
    const second = await sinks.create(tester);
    await post(first);
    const { data, hasMore } = await sinks.query.list({ limit: 10 }, tester);
    expect(data.map(({ id, received }) => [id, received])).toEqual([
      [second.id, 0],
      [first.id, 1],
    ]);
    expect(data[1]).toMatchObject({ respond: [500, 0], script: [{ status: 500 }, { fault: "Hang" }] });
    expect(hasMore).toBe(false);
  });

  it("answers by a new script from its first answer on", async () => {
    const sink = await sinks.create(tester, { respond: [500, 501] });
    const statuses = [await post(sink)];
    await sinks.update(tester, sink.id, { respond: [502, 503] });
    for (let more = 0; more < 3; more += 1) statuses.push(await post(sink));
    expect(statuses).toEqual([500, 502, 503, 503]);
  });

  it("keeps its script when only the delay is changed", async () => {
    const sink = await sinks.create(tester, { respond: [500, 501, 502], delayMs: 5 });
    const delayed = post(sink);
    await until("its delay", () => (sinks.answers.held === 1 ? true : undefined));
    clock.advance(5);
    const statuses = [await delayed];
    await sinks.update(tester, sink.id, { delayMs: 0 });
    statuses.push(await post(sink), await post(sink));
    expect(statuses).toEqual([500, 501, 502]);
  });

  it("that an instance of the previous version made answers its statuses", async () => {
    const id = newUuid();
    await units.database.sql(
      `insert into test_sink (id, book_id, respond, delay_ms, received, created_at)
       values ($1, $2, '{500,202}', 0, 0, now())`,
      [id, uuidOf(tester.caller.book)],
    );
    const sink = await sinks.query.get({ id: idOf("sink", id) }, tester);
    expect(sink).toMatchObject({ respond: [500, 202], script: [{ status: 500 }, { status: 202 }] });
    expect([await post(sink), await post(sink), await post(sink)]).toEqual([500, 202, 202]);
  });

  it("that is cleared has no requests; numbers and script go on", async () => {
    const sink = await sinks.create(tester, { respond: [500, 501, 200] });
    await post(sink);
    await sinks.manage.clear({ id: sink.id }, tester);
    expect(await numbersOf(sink.id)).toEqual([]);
    expect(await post(sink)).toBe(501);
    expect(await numbersOf(sink.id)).toEqual([2]);
  });

  it.each(["clear", "delete"] as const)(
    "that is recording a request forgets it, too, at a %s",
    async (action) => {
      const sink = await sinks.create(tester);
      const recording = await connectTo(units.adminUrl);
      await recording.query("begin");
      await recording.query("update webhooks.test_sink set received = 1 where id = $1", [uuidOf(sink.id)]);
      await recording.query(
        `insert into webhooks.test_sink_request
         (sink_id, number, received_at, headers, body, responded_status, answer)
       values ($1, 1, now(), '{}', '', 200, '{"status":200}')`,
        [uuidOf(sink.id)],
      );
      const removed = sinks.manage[action]({ id: sink.id }, tester);
      await until("the removal waits for the sink", () => lockWaits(units.database.sql));
      await recording.query("commit");
      expect(await removed).toEqual({ id: sink.id });
      const { rows } = await recording.query("select from webhooks.test_sink_request where sink_id = $1", [
        uuidOf(sink.id),
      ]);
      expect(rows).toEqual([]);
      await recording.end();
    },
  );

  it("that is deleted answers 404 and has no requests any more", async () => {
    const sink = await sinks.create(tester);
    await post(sink);
    await sinks.manage.delete({ id: sink.id }, tester);
    expect(await post(sink)).toBe(404);
    await expect(sinks.query.get({ id: sink.id }, tester)).rejects.toMatchObject({ code: "not_found" });
    const left = await units.database.sql("select 1 from test_sink_request where sink_id = $1", [
      uuidOf(sink.id),
    ]);
    expect(left).toEqual([]);
  });

  it("is refused to a book that has 200", async () => {
    await insertSinks(199);
    await sinks.create(tester);
    await expect(sinks.create(tester)).rejects.toMatchObject({ code: "invalid_state_transition" });
  });

  it("is made once for a book that has 199, also if several requests count before one inserts", async () => {
    await insertSinks(199);
    // Whoever has counted waits here with its row.
    const session = await connectTo(units.adminUrl);
    try {
      await session.query("begin; lock table webhooks.test_sink in share mode");
      const creations = Promise.allSettled([sinks.create(tester), sinks.create(tester)]);
      await until("both requests wait", async () => (await lockWaits(units.database.sql)) > 1);
      await session.query("commit");
      expect((await creations).map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    } finally {
      await session.end();
    }
  });

  it("keeps the newest 32 MiB of large bodies", async () => {
    const sink = await sinks.create(tester);
    await units.database.sql(
      `insert into test_sink_request (sink_id, number, received_at, headers, body, responded_status)
       select $1, number, now(), '{}', decode(repeat('00', 512 * 1024), 'hex'), 200
       from generate_series(1, 64) as number`,
      [uuidOf(sink.id)],
    );
    await units.database.sql("update test_sink set received = 64 where id = $1", [uuidOf(sink.id)]);
    await post(sink, "x".repeat(512 * 1024));
    const [kept] = await units.database.sql(
      "select min(number) as oldest, count(*)::int as count from test_sink_request where sink_id = $1",
      [uuidOf(sink.id)],
    );
    expect(kept).toEqual({ oldest: 2, count: 64 });
  });
});

describe("the requests after a number", () => {
  it("come oldest first, page by page", async () => {
    const sink = await sinks.create(tester);
    for (let number = 1; number <= 5; number += 1) await post(sink);
    expect(await numbersOf(sink.id)).toEqual([5, 4, 3, 2, 1]);
    expect(await numbersOf(sink.id, { after: 2 })).toEqual([3, 4, 5]);
    const { data, nextCursor } = await sinks.requests(tester, sink.id, { after: 1, limit: 2 });
    expect(data.map(({ number }) => number)).toEqual([2, 3]);
    expect(await numbersOf(sink.id, { after: 1, limit: 2, cursor: nextCursor ?? "" })).toEqual([4, 5]);
  });

  it("are waited for, whichever instance receives them", async () => {
    const sink = await sinks.create(tester);
    await post(sink);
    for (const instance of [sinks, another]) {
      const { received } = await sinks.query.get({ id: sink.id }, tester);
      const waiting = sinks.requests(tester, sink.id, { after: received, waitMs: 20_000 });
      await until("somebody waits", () => (sinks.watch.waiting === 1 ? true : undefined));
      const url = sink.url.replace(await sinks.app.getUrl(), await instance.app.getUrl());
      await post({ ...sink, url });
      expect((await waiting).data.map(({ number }) => number)).toEqual([received + 1]);
      expect(sinks.watch.waiting).toBe(0);
    }
  });

  it("are waited for by a thousand callers with one connection for a moment", async () => {
    const sink = await sinks.create(tester);
    const waiting = Array.from({ length: 1_000 }, () => sinks.watch.next(uuidOf(sink.id), 0, 20_000));
    expect(sinks.watch.waiting).toBe(1_000);
    await until("the database is free for others", () => units.database.isHealthy());
    await post(sink);
    await Promise.all(waiting);
    expect(sinks.watch.waiting).toBe(0);
  });

  it("end a wait without any, when the time is over or the sink is deleted", async () => {
    const sink = await sinks.create(tester);
    expect((await sinks.requests(tester, sink.id, { after: 0, waitMs: 1 })).data).toEqual([]);
    const waiting = sinks.requests(tester, sink.id, { after: 0, waitMs: 20_000 });
    await until("somebody waits", () => (sinks.watch.waiting === 1 ? true : undefined));
    await sinks.manage.delete({ id: sink.id }, tester);
    expect((await waiting).data).toEqual([]);
  });
});
