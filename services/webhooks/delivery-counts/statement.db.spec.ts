import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { SinksInstance } from "../../../test/stack/services/sinks.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { GetWebhookStatement } from "../../../contracts/messages/webhooks.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { GetWebhookStatementHandler } from "./get-statement.handler.ts";
import { foldDeltas } from "./store/delivery-counts.ts";

const today = "2026-03-04";
const clock = new TestClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const sinks = await forThisFile(SinksInstance.start(units, clock));
const webhooks = await forThisFile(
  new WebhooksInstance(units, clock, { config: { WEBHOOK_MAX_ATTEMPTS: 2 } }),
);
const handler = new GetWebhookStatementHandler(units.database);
const { sql } = units.database;

let tester: RequestContext;
beforeEach(() => {
  tester = requestContext();
});

async function statement(query: object = {}, context = tester) {
  return handler.get(GetWebhookStatement.data.parse({ date: today, ...query }), context);
}

const nothing = { committed: 0, delivered: 0, dead: 0, pending: 0, cancelled: 0 };
const linesOf = async () => (await statement()).data.map(({ endpointId: _id, ...counts }) => counts);

async function endpoint(...respond: number[]): Promise<string> {
  const { url } = await sinks.create(tester, respond.length === 0 ? {} : { respond });
  return (await webhooks.createEndpoint(tester, { url })).id;
}

/** Folds everything that is counted. */
async function fold(): Promise<void> {
  while ((await foldDeltas(sql)) > 0);
}

/** The lines without what is 0. Throws if folding the counts changes them. */
async function lines(): Promise<object[]> {
  const before = await linesOf();
  await fold();
  const after = await linesOf();
  if (JSON.stringify(after) !== JSON.stringify(before)) throw new Error("folding changed the statement");
  return after.map((line) => Object.fromEntries(Object.entries(line).filter(([, count]) => count > 0)));
}

describe("a statement", () => {
  it("has a line for each endpoint, and follows each delivery to its end", async () => {
    expect(await lines()).toEqual([]);
    await endpoint(200);
    await endpoint(500, 500, 200);
    await webhooks.consumeAndCrash(statusChange(tester));
    expect(await lines()).toEqual([
      { committed: 1, pending: 1 },
      { committed: 1, pending: 1 },
    ]);
    await webhooks.deliver(statusChange(tester), statusChange(tester));
    expect(await lines()).toEqual([
      { committed: 3, pending: 3 },
      { committed: 3, delivered: 2, pending: 1 },
    ]);
    clock.advance(60_000);
    while ((await webhooks.sendDue()) > 0);
    const [late] = (await statement()).data;
    expect(late).toMatchObject({ committed: 3, dead: 0, delivered: 3, pending: 0 });
  });

  it("counts a dead letter until a retry delivers it", async () => {
    await endpoint(500, 500, 200);
    await webhooks.deliver(statusChange(tester));
    expect(await lines()).toEqual([{ committed: 1, pending: 1 }]);
    clock.advance(60_000);
    await webhooks.sendDue();
    expect(await lines()).toEqual([{ committed: 1, dead: 1 }]);
    const { id } = await webhooks.delivery(tester);
    await webhooks.retry(tester, id);
    await webhooks.sender.whenIdle();
    expect(await lines()).toEqual([{ committed: 1, delivered: 1 }]);
    // A manual retry of what was delivered makes an attempt, and no second delivery.
    await webhooks.retry(tester, id);
    await webhooks.sender.whenIdle();
    expect(await lines()).toEqual([{ committed: 1, delivered: 1 }]);
  });

  it("counts what a deleted endpoint cancels", async () => {
    const id = await endpoint(500);
    await webhooks.deliver(statusChange(tester), statusChange(tester));
    await webhooks.deletions.delete({ id }, tester);
    expect(await lines()).toEqual([{ committed: 2, cancelled: 2 }]);
  });

  it("counts an event that is reported twice once", async () => {
    await endpoint(200);
    const change = statusChange(tester);
    await webhooks.deliver(change);
    await webhooks.deliver(change);
    expect(await lines()).toEqual([{ committed: 1, delivered: 1 }]);
  });

  it("counts nothing of a transaction that is rolled back", async () => {
    await endpoint(200);
    const failing = units.units.run(async (unit) => {
      await webhooks.fanOut.onMessages([statusChange(tester)], unit);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await lines()).toEqual([]);
  });

  it("is of the UTC day on which the deliveries were created, and of one book", async () => {
    await endpoint(200);
    await webhooks.deliver(statusChange(tester));
    expect((await statement({ date: "2026-03-03" })).data).toEqual([]);
    expect((await statement({ date: "2026-03-05" })).data).toEqual([]);
    expect((await statement({}, requestContext())).data).toEqual([]);
    expect(
      (await statement({}, requestContext({ tenant: tester.caller.tenant, mode: "Live" }))).data,
    ).toEqual([]);
    await sql(
      `insert into delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status, attempt_count,
         attempts_allowed, lease_id, created_at)
       select gen_random_uuid(), book_id, gen_random_uuid(), endpoint_id, event_type, api_version, 'Pending', 0, 3,
         gen_random_uuid(), at
       from delivery
       cross join unnest($2::timestamptz[]) as at
       where book_id = $1`,
      [uuidOf(tester.caller.book), ["2026-03-04T23:59:59.999Z", "2026-03-05T00:00:00.000Z"]],
    );
    expect(await lines()).toEqual([{ committed: 2, delivered: 1, pending: 1 }]);
    expect((await statement({ date: "2026-03-05" })).data).toMatchObject([{ committed: 1, pending: 1 }]);
  });

  it("stays true after its deliveries were deleted", async () => {
    await endpoint(200);
    await webhooks.deliver(statusChange(tester), statusChange(tester));
    const admin = await connectTo(units.adminUrl);
    await admin.query("delete from webhooks.delivery where book_id = $1", [uuidOf(tester.caller.book)]);
    await admin.end();
    expect(await lines()).toEqual([{ committed: 2, delivered: 2 }]);
  });

  it("has pages, newest endpoint first", async () => {
    const ids = [await endpoint(200), await endpoint(200), await endpoint(200)];
    await webhooks.deliver(statusChange(tester));
    const first = await statement({ limit: 2 });
    expect(first.data.map(({ endpointId }) => endpointId)).toEqual([ids[2], ids[1]]);
    const second = await statement({ limit: 2, cursor: first.nextCursor ?? "" });
    expect(second.data.map(({ endpointId }) => endpointId)).toEqual([ids[0]]);
    expect(second.hasMore).toBe(false);
  });

  it("is not changed by several instances that fold at once", async () => {
    await endpoint(200);
    for (let event = 0; event < 20; event += 1) await webhooks.deliver(statusChange(tester));
    await Promise.all(Array.from({ length: 5 }, fold));
    expect(await linesOf()).toEqual([{ ...nothing, committed: 20, delivered: 20 }]);
    const left = await sql("select 1 from delivery_delta where book_id = $1", [uuidOf(tester.caller.book)]);
    expect(left).toEqual([]);
  });
});
