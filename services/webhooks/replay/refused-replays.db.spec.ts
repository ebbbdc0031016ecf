import { beforeEach, describe, expect, it } from "vitest";
import { webhookReplayCreate, type WebhookReplay } from "../../../contracts/http/webhooks/replays.ts";
import { idOf, newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";
import { makeReplay, recently, workOff } from "../../../test/stack/services/replays.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { IdempotentReplay, type RequestContext } from "../../platform/handlers/decorators.ts";

const clock = new TestClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
let receiver: LoopbackReceiver;
let payer: RequestContext;
beforeEach(async () => {
  payer = requestContext();
  receiver = await LoopbackReceiver.open();
  return () => receiver.close();
});

const replay = (wanted: object = {}, context = payer) => makeReplay(webhooks, context, wanted);
const read = ({ id }: WebhookReplay, context = payer) => webhooks.replays.get({ id: id ?? "" }, context);

describe("a replay is refused", () => {
  const fault = (wanted: object) => {
    const issue = webhookReplayCreate.safeParse({ ...recently(), ...wanted }).error?.issues[0];
    return [issue?.path.join("."), issue?.message];
  };

  it("if it ends before it begins, is longer than 31 days, or names no endpoint for missed events", () => {
    const since = "2026-03-01T00:00:00Z";
    expect(fault({ since, until: since })).toEqual(["until", "must be later than since"]);
    expect(fault({ since, until: "2026-04-01T00:00:00.001Z" })).toEqual([
      "until",
      "must be at most 31 days after since: split the period into several replays",
    ]);
    expect(fault({ since, until: "2026-04-01T00:00:00Z" })).toEqual([undefined, undefined]);
    expect(fault({ includeMissed: true })[0]).toBe("endpointId");
  });

  it("if a type does not exist, which would match nothing", () => {
    expect(fault({ eventTypes: ["payment_order.completed", "payment_order.complete"] })[0]).toBe(
      "eventTypes.1",
    );
    expect(fault({ eventTypes: ["*"] })[0]).toBe("eventTypes.0");
    expect(fault({ eventTypes: ["payment_order.completed", "test.event"] })).toEqual([undefined, undefined]);
  });

  it("for an endpoint of another tenant, of the other mode, or that was deleted", async () => {
    const { id: endpointId } = await webhooks.createEndpoint(payer, { url: receiver.url });
    const { tenant } = payer.caller;
    const live = requestContext({ tenant, mode: "Live" });
    for (const stranger of [requestContext(), live]) {
      await expectRefusal(replay({ endpointId }, stranger), "not_found");
    }
    await expectRefusal(replay({ endpointId: newId("we") }), "not_found");
    await webhooks.deletions.delete({ id: endpointId }, payer);
    await expectRefusal(replay({ endpointId }), "not_found");
  });

  it("for a Disabled endpoint, and says what clears it", async () => {
    const { id: endpointId } = await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.updates.update({ id: endpointId, change: { status: "Disabled" } }, payer);
    const refusal = await refusalOf(replay({ endpointId }));
    expect(refusal.code).toBe("invalid_state_transition");
    expect(refusal.message).toBe(
      `The endpoint is Disabled. Enable it with PATCH /v1/webhook-endpoints/${endpointId}, then replay.`,
    );
  });

  it("while another one of the book is under way", async () => {
    await webhooks.createEndpoint(payer, { url: receiver.url });
    await webhooks.deliver(statusChange(payer));
    const running = await replay();
    await expectRefusal(replay(), "invalid_state_transition", {
      context: { resourceId: running.id, currentStatus: "Running" },
    });
    await workOff(webhooks);
    expect((await replay()).status).toBe("Running");
    await workOff(webhooks);
  });
});

it("a replay of another tenant, or of the tenant's other mode, is not found", async () => {
  await webhooks.createEndpoint(payer, { url: receiver.url });
  const made = await replay();
  const { tenant } = payer.caller;
  for (const stranger of [requestContext(), requestContext({ tenant, mode: "Live" })]) {
    await expectRefusal(read(made, stranger), "not_found");
    await expectRefusal(webhooks.replays.cancel({ id: made.id ?? "" }, stranger), "not_found");
    expect((await webhooks.replays.list({ limit: 25 }, stranger)).data).toEqual([]);
  }
  for (const id of [newId("rpl"), idOf("evt", "019c0000-0000-7000-8000-000000000001"), "rpl_1"]) {
    await expectRefusal(webhooks.replays.get({ id }, payer), "not_found");
  }
});

it("a request that is repeated with its Idempotency-Key makes one replay", async () => {
  const keyed = { ...payer, idempotency: { key: "again", fingerprint: "f1" } };
  await webhooks.createEndpoint(payer, { url: receiver.url });
  await webhooks.deliver(statusChange(payer));
  const parsed = webhookReplayCreate.parse(recently());
  const first = await webhooks.replays.create(parsed, keyed);
  expect(await webhooks.replays.create(parsed, keyed)).toEqual(new IdempotentReplay(first));
  await workOff(webhooks);
  expect(receiver.requests).toHaveLength(2);
});
