/** How long a delivery waits after a failed attempt, and what is not an attempt. */
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import type { Resolve } from "./http/resolve-host.ts";

const units = await forThisFile(openFreshUnits("webhooks"));
let clock: TestClock; // 2026-03-04T17:00:00Z
let receiver: LoopbackReceiver;
let payer: RequestContext;
let webhooks: WebhooksInstance;
/** What the resolver says to the next lookups; loopback at first. */
let lookupError: string | undefined;
let resolverAnswers: boolean;
/** The next random number. */
let random: number;

const resolve: Resolve = (_hostname, _options, resolved) => {
  if (lookupError === undefined) return resolved(null, [{ address: "127.0.0.1", family: 4 }]);
  const error = Object.assign(new Error(`getaddrinfo ${lookupError}`), { code: lookupError });
  resolved(error, []);
};

beforeEach(async () => {
  [lookupError, resolverAnswers, random] = [undefined, true, 0];
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock, {
    resolve,
    probes: {
      resolverAnswers: () => Promise.resolve(resolverAnswers),
      hasRoute: () => Promise.resolve(true),
    },
    random: () => random,
  });
  receiver = await LoopbackReceiver.open();
  await webhooks.createEndpoint(payer, { url: `http://receiver.example:${String(receiver.port)}/hooks` });
  return async () => {
    await webhooks.stop();
    await receiver.close();
    await units.database.sql(
      "update delivery set status = 'Delivered', claimable_at = null, lease_id = null",
    );
  };
});

const minute = 60_000;
const failing = (status: number, retryAfter: string) => ({ status, headers: { "retry-after": retryAfter } });
async function nextAfter(answer: number | ReturnType<typeof failing>) {
  receiver.answers(answer);
  await webhooks.deliver(statusChange(payer));
  return (await webhooks.delivery(payer)).nextAttemptAt;
}

describe("a receiver that answers with Retry-After", () => {
  it.each([
    ["in seconds gets a longer pause", failing(429, "90"), "2026-03-04T17:01:30.000Z"],
    [
      "as a date gets a longer pause",
      failing(503, "Wed, 04 Mar 2026 18:00:00 GMT"),
      "2026-03-04T18:00:00.000Z",
    ],
    ["gets it after any status but a 2xx", failing(302, "90"), "2026-03-04T17:01:30.000Z"],
    ["gets no shorter one", failing(503, "5"), "2026-03-04T17:01:00.000Z"],
    ["gets 24 hours at most", failing(503, "999999"), "2026-03-05T17:00:00.000Z"],
    ["that can't be read gets the usual one", failing(503, "soon"), "2026-03-04T17:01:00.000Z"],
  ])("%s", async (_what, answer, next) => expect(await nextAfter(answer)).toBe(next));

  it("has its event if it is a 2xx", async () => {
    expect(await nextAfter(failing(200, "90"))).toBeNull();
  });

  it("gets the longer pause on the clock of a Manual book", async () => {
    await webhooks.setClock(payer, 1, { mode: "Manual", standsAt: new Date("2038-02-12T17:00:00.000Z") });
    expect(await nextAfter(failing(429, "3600"))).toBe("2038-02-12T18:00:00.000Z");
  });
});

describe("the jitter of a pause", () => {
  beforeEach(() => void (random = 0.999_999));

  it("adds up to 5 %", async () => expect(await nextAfter(500)).toBe("2026-03-04T17:01:02.999Z"));

  it("adds to a pause that the receiver asked for, too", async () => {
    expect(await nextAfter(failing(503, "100"))).toBe("2026-03-04T17:01:44.999Z");
  });

  it("is there on the clock of a Real book", async () => {
    await webhooks.setClock(payer, 1, { mode: "Real", leadMs: 60 * minute });
    expect(await nextAfter(500)).toBe("2026-03-04T18:01:02.999Z");
  });

  it("is off on a Manual clock, so that a test knows the time", async () => {
    await webhooks.setClock(payer, 1, { mode: "Manual", standsAt: new Date("2038-02-12T17:00:00.000Z") });
    expect(await nextAfter(500)).toBe("2038-02-12T17:01:00.000Z");
  });
});

/** The counter's value by reason. */
const ownFailures = async () =>
  Object.fromEntries(
    (
      (await webhooks.metrics.registry.getSingleMetric("quittance_webhook_own_failures_total")?.get()) ?? {
        values: [],
      }
    ).values.map(({ labels, value }) => [labels["reason"], value]),
  );

describe("while our resolver does not answer", () => {
  beforeEach(() => {
    [lookupError, resolverAnswers] = ["EAI_AGAIN", false];
  });

  it("a delivery uses up no attempt, is tried every ten seconds, and is delivered afterwards", async () => {
    await webhooks.deliver(statusChange(payer));
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Pending",
      attemptCount: 0,
      nextAttemptAt: "2026-03-04T17:00:10.000Z",
    });
    for (let count = 2; count <= 6; count++) {
      clock.advance(9_999);
      expect(await webhooks.sendDue()).toBe(0);
      clock.advance(1);
      expect(await webhooks.sendDue()).toBe(1);
    }
    expect(await ownFailures()).toEqual({ Resolver: 6 });
    lookupError = undefined;
    clock.advance(10_000);
    await webhooks.sendDue();
    const { status, attemptCount, attempts } = await webhooks.delivery(payer);
    expect([status, attemptCount]).toEqual(["Delivered", 1]);
    // Of several failures of ours in a row the first is shown.
    expect(attempts.map(({ at, errorClass, error }) => [at, errorClass, error])).toEqual([
      [
        "2026-03-04T17:00:00.000Z",
        "Ours",
        "not sent: our name resolver does not answer. This uses up no attempt.",
      ],
      ["2026-03-04T17:01:00.000Z", null, null],
    ]);
  });

  it("a retry stays what it is, and has all attempts left", async () => {
    lookupError = undefined;
    receiver.answers(500);
    await webhooks.deliver(statusChange(payer));
    await receiver.close(); // so that the next attempt needs a connection
    lookupError = "EAI_AGAIN";
    clock.advance(minute);
    await webhooks.sendDue();
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 1,
      nextAttemptAt: "2026-03-04T17:01:10.000Z",
      attempts: [{ errorClass: "Status" }, { errorClass: "Ours" }],
    });
    lookupError = undefined;
    clock.advance(10_000);
    await webhooks.sendDue();
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 2,
      nextAttemptAt: "2026-03-04T17:06:10.000Z",
    });
  });

  it("a delivery of a Manual book is tried again in real time, because nobody advances for our sake", async () => {
    await webhooks.setClock(payer, 1, { mode: "Manual", standsAt: new Date("2038-02-12T17:00:00.000Z") });
    await webhooks.deliver(statusChange(payer));
    lookupError = undefined;
    clock.advance(10_000);
    expect(await webhooks.sendDue()).toBe(1);
    expect((await webhooks.delivery(payer)).status).toBe("Delivered");
  });
});

describe("a host name", () => {
  it("that does not exist is the receiver's: the attempt counts", async () => {
    [lookupError, resolverAnswers] = ["ENOTFOUND", false];
    await webhooks.deliver(statusChange(payer));
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 1,
      nextAttemptAt: "2026-03-04T17:01:00.000Z",
      attempts: [{ errorClass: "Dns", error: "ENOTFOUND: getaddrinfo ENOTFOUND" }],
    });
  });

  it("whose name servers are down is the receiver's, because our resolver answers other questions", async () => {
    lookupError = "EAI_AGAIN";
    await webhooks.deliver(statusChange(payer));
    expect(await webhooks.delivery(payer)).toMatchObject({
      status: "Retrying",
      attemptCount: 1,
      attempts: [{ errorClass: "Dns" }],
    });
    expect(await ownFailures()).toEqual({});
  });
});
