import pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

type Read = () => Promise<WebhookDelivery | undefined>;

const units = await forThisFile(openFreshUnits("webhooks"));
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
beforeEach(async () => {
  payer = requestContext();
  webhooks = new WebhooksInstance(units, new TestClock());
  receiver = await LoopbackReceiver.open();
  await webhooks.createEndpoint(payer, { url: receiver.url });
  return async () => {
    await webhooks.stop();
    await receiver.close();
  };
});

/** What `read` answers if the second attempt is recorded after it has read the delivery, and before its attempts. */
async function readWhileAttempted(read: Read): Promise<WebhookDelivery | undefined> {
  const other = new pg.Client(units.adminUrl);
  await other.connect();
  try {
    await other.query("begin; lock table webhooks.attempt in access exclusive mode");
    const reading = read();
    await until("the read of the attempts", async () => {
      const { rowCount } = await other.query(
        `select from pg_locks
         where relation = 'webhooks.attempt'::regclass and not granted
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return rowCount === 1;
    });
    await other.query(
      `insert into webhooks.attempt (delivery_id, id, at, duration_ms, response_status)
       select delivery_id, gen_random_uuid(), at, duration_ms, response_status from webhooks.attempt;
       update webhooks.delivery set status = 'DeadLettered', next_attempt_at = null, claimable_at = null;
       commit`,
    );
    return await reading;
  } finally {
    await other.end();
  }
}

describe("a delivery that is attempted while it is read", () => {
  const reads: Readonly<Record<string, (id: string) => ReturnType<Read>>> = {
    itself: (id) => webhooks.get(payer, id),
    "in a list": async () => (await webhooks.deliveries(payer))[0],
  };

  it.each(Object.entries(reads))("has the status that fits its attempts, read %s", async (_how, read) => {
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    const before = await webhooks.delivery(payer);
    expect(before).toMatchObject({ status: "Retrying", attemptCount: 1 });
    expect(await readWhileAttempted(() => read(before.id))).toMatchObject({
      status: "Retrying",
      attemptCount: 1,
      nextAttemptAt: before.nextAttemptAt,
    });
  });
});

it("a delivery shows where its next attempt goes, also after the endpoint has moved", async () => {
  receiver.answers(500);
  await webhooks.deliver(statusChange(payer));
  const { id, endpointId } = await webhooks.delivery(payer);
  expect((await webhooks.get(payer, id)).url).toBe(receiver.url);
  const moved = `${receiver.url}/moved`;
  await webhooks.updates.update({ id: endpointId, change: { url: moved } }, payer);
  expect((await webhooks.get(payer, id)).url).toBe(moved);
});
