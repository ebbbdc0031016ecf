/** What a delivery writes: rows and updates, counted by Postgres. */
import { beforeEach, describe, expect, it } from "vitest";
import { newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { type AttemptRow, recordAttempts } from "./store/record-attempts.ts";

const clock = new TestClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
let receiver: LoopbackReceiver;
let payer = requestContext();
beforeEach(async () => {
  receiver = await LoopbackReceiver.open();
  payer = requestContext();
  await webhooks.createEndpoint(payer, { url: receiver.url });
  return () => receiver.close();
});

const openDeliveries = () =>
  units.database.sql<{ id: string; lease_id: string }>(
    "select id, lease_id from delivery where status = 'Pending' order by id",
  );

function attemptOf(delivery: { id: string; lease_id: string }, change: Partial<AttemptRow>): AttemptRow {
  return {
    id: newUuid(),
    deliveryId: delivery.id,
    book: uuidOf(payer.caller.book),
    leaseId: delivery.lease_id,
    at: clock.now(),
    durationMs: 5,
    responseStatus: 204,
    responseBody: "",
    error: null,
    errorClass: null,
    timings: { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: 2 },
    acknowledged: true,
    status: "Delivered",
    nextAttemptAt: null,
    jitterMs: 0,
    endpointToDisable: null,
    ...change,
  };
}

/** What this connection updated in `delivery`, also before this transaction. */
async function updates(sql: Sql): Promise<{ rows: number; hot: number }> {
  const [counted] = await sql<{ rows: number; hot: number }>(
    `select pg_stat_get_xact_tuples_updated('delivery'::regclass)::int as rows,
       pg_stat_get_xact_tuples_hot_updated('delivery'::regclass)::int as hot`,
  );
  return counted!;
}

/** What `work` updates in `delivery`. */
function updatesOf(work: (sql: Sql) => Promise<unknown>) {
  return units.database.transaction(async ({ sql }) => {
    const before = await updates(sql);
    await work(sql);
    const after = await updates(sql);
    return { rows: after.rows - before.rows, hot: after.hot - before.hot };
  });
}

describe("recording the attempts of new deliveries", () => {
  it("changes no index where the receivers acknowledged them", async () => {
    await webhooks.consumeAndCrash(...Array.from({ length: 200 }, () => statusChange(payer)));
    const rows = (await openDeliveries()).map((delivery) => attemptOf(delivery, {}));
    expect(await updatesOf((sql) => recordAttempts(sql, rows))).toEqual({ rows: 200, hot: 200 });
    expect(await openDeliveries()).toEqual([]);
  });

  it("moves a delivery in the indexes where it failed", async () => {
    await webhooks.consumeAndCrash(statusChange(payer));
    const [delivery] = await openDeliveries();
    const failed = attemptOf(delivery!, {
      responseStatus: 500,
      acknowledged: false,
      status: "Retrying",
      nextAttemptAt: clock.now(),
    });
    expect(await updatesOf((sql) => recordAttempts(sql, [failed]))).toEqual({ rows: 1, hot: 0 });
  });
});

describe("a delivery that is acknowledged twice", () => {
  it("keeps the time of the first acknowledgement", async () => {
    await webhooks.consumeAndCrash(statusChange(payer));
    const [delivery] = await openDeliveries();
    for (const at of ["2026-03-04T17:00:00.000Z", "2026-03-04T17:30:00.000Z"])
      await recordAttempts(units.database.sql, [attemptOf(delivery!, { at: new Date(at) })]);
    const [stored] = await units.database.sql<{ acknowledged_at: Date; attempt_count: number }>(
      "select acknowledged_at, attempt_count from delivery where id = $1",
      [delivery!.id],
    );
    expect(stored).toEqual({ acknowledged_at: new Date("2026-03-04T17:00:00.000Z"), attempt_count: 2 });
  });
});

describe("the attempts of a burst", () => {
  it("are announced together to open screens, by a message that names the book alone", async () => {
    const messages = () => webhooks.announced.filter(({ envelope }) => envelope.includes(payer.caller.book));
    const startedAt = performance.now();
    await webhooks.deliver(...Array.from({ length: 200 }, () => statusChange(payer)));
    // The first one is of the new deliveries.
    await until("the announcement of the attempts", () => messages().length > 1);
    expect(messages().length).toBeLessThan(3 + (performance.now() - startedAt) / 250);
    for (const { envelope } of messages()) expect(envelope.length).toBeLessThan(500);
  });
});
