import { expect, it } from "vitest";
import { pino } from "pino";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { SinksInstance } from "../../../test/stack/services/sinks.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { requestContext, statusChange, WebhooksInstance } from "../../../test/stack/services/webhooks.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { SystemClock } from "../process-clock.ts";
import { CheckDeliveryCounts } from "./check-delivery-counts.worker.ts";
import { foldDeltas } from "./store/delivery-counts.ts";

// Real time, because the check finds deliveries by the time in their ids.
const clock = new SystemClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const sinks = await forThisFile(SinksInstance.start(units, clock));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
const metrics = new Metrics("webhooks");
const logged: string[] = [];
const log = pino({ level: "error" }, { write: (line: string) => void logged.push(line) });
const defaults = { WEBHOOK_DELIVERED_KEPT_DAYS: 30, WEBHOOK_DEAD_LETTERS_KEPT_DAYS: 180 };
const check = new CheckDeliveryCounts(units.database, metrics, log, defaults);

/** The same where deliveries, or dead letters alone, are deleted before they could be compared. */
const forgetful = [{ WEBHOOK_DELIVERED_KEPT_DAYS: 2 }, { WEBHOOK_DEAD_LETTERS_KEPT_DAYS: 1 }].map(
  (kept) => new CheckDeliveryCounts(units.database, new Metrics("webhooks"), log, { ...defaults, ...kept }),
);

/** What the metric shows after a check of the days before this one. */
async function differencesAt(now: Date): Promise<string | undefined> {
  await check.tick(now);
  const shown = await metrics.registry.metrics();
  return /^quittance_webhook_statement_differences\S* (\d+)$/m.exec(shown)?.[1];
}

it("compares a finished day once, and again while an endpoint's counts are not those of its deliveries", async () => {
  const tester = requestContext();
  const { url } = await sinks.create(tester);
  const endpoint = await webhooks.createEndpoint(tester, { url });
  await webhooks.deliver(statusChange(tester), statusChange(tester));
  const [delivery] = await webhooks.deliveries(tester);
  const createdAt = new Date(delivery?.createdAt ?? "");
  const day = createdAt.toISOString().slice(0, 10);
  const dayAfter = new Date(Date.parse(day) + 26 * 3_600_000);
  const admin = await connectTo(units.adminUrl);
  const book = uuidOf(tester.caller.book);
  const setDelivered = (count: number) =>
    admin.query("update webhooks.delivery_count set delivered = $2 where book_id = $1", [book, count]);

  expect(await differencesAt(createdAt)).toBe("0");
  expect(await differencesAt(dayAfter)).toBe("0");
  await foldDeltas(units.database.sql);
  expect(await differencesAt(dayAfter)).toBe("0");
  expect(logged).toEqual([]);

  // It agreed, so it is not read again until somebody removes the record of that.
  await setDelivered(1);
  expect(await differencesAt(dayAfter)).toBe("0");
  await admin.query("delete from webhooks.delivery_count_check where day = $1", [day]);
  expect(await differencesAt(dayAfter)).toBe("1");
  const found = { day, endpointId: endpoint.id, counted: [2, 1, 0, 0], stored: [2, 2, 0, 0] };
  expect(JSON.parse(logged[0] ?? "{}")).toMatchObject(found);
  await setDelivered(2);
  expect(await differencesAt(dayAfter)).toBe("0");

  await admin.query("delete from webhooks.delivery_count_check where day = $1", [day]);
  await admin.query("delete from webhooks.delivery where id = $1", [uuidOf(delivery?.id ?? "wh_")]);
  expect(await differencesAt(dayAfter)).toBe("1");
  const before = logged.length;
  for (const each of forgetful) await each.tick(dayAfter);
  expect(logged).toHaveLength(before);
  await admin.end();
});
