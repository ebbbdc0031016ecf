import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const second = 1_000;
const units = await forThisFile(openFreshUnits("webhooks"));
let clock: TestClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  return async () => {
    receiver.releases();
    await webhooks.stop();
    await receiver.close();
  };
});

/** Sends the delivery as often as it is due, and returns the pauses in seconds before each of its later attempts. */
async function pausesOf(id: string): Promise<number[]> {
  const pauses: number[] = [];
  for (;;) {
    const { nextAttemptAt, status } = await webhooks.get(payer, id);
    if (nextAttemptAt === null || status !== "Retrying") return pauses;
    const pauseMs = Date.parse(nextAttemptAt) - clock.now().getTime();
    pauses.push(Math.floor(pauseMs / second));
    clock.advance(pauseMs);
    await webhooks.sendDue();
  }
}

describe("an endpoint's own attempts and pauses", () => {
  it("apply in place of the service's; the last pause repeats", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url, maxAttempts: 5, backoffSeconds: [10, 3_600] });
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    const { id } = await webhooks.delivery(payer);
    expect(await pausesOf(id)).toEqual([10, 3_600, 3_600, 3_600]);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "DeadLettered", attemptCount: 5 });
  });

  it("may be one attempt: the first failure dead-letters", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url, maxAttempts: 1 });
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "DeadLettered", attemptCount: 1 });
  });

  it("are the service's where the endpoint names none: three, after 60 and 300 seconds", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    const { id } = await webhooks.delivery(payer);
    expect(await pausesOf(id)).toEqual([60, 300]);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "DeadLettered", attemptCount: 3 });
  });

  it("change: new pauses apply to open deliveries, a new number of attempts to later events", async () => {
    const { id: endpointId } = await webhooks.createEndpoint(payer, { url: receiver.url });
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    const { id } = await webhooks.delivery(payer);
    await webhooks.updates.update({ id: endpointId, change: { maxAttempts: 1, backoffSeconds: [7] } }, payer);
    // The first pause had begun.
    expect(await pausesOf(id)).toEqual([60, 7]);
    await webhooks.deliver(statusChange(payer));
    const [newest] = await webhooks.deliveries(payer);
    expect(newest).toMatchObject({ status: "DeadLettered", attemptCount: 1 });
  });
});
