import { beforeEach, describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

let clock: TestClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  await webhooks.createEndpoint(payer, { url: receiver.url });
  return async () => {
    await webhooks.stop();
    await receiver.close();
  };
});

describe("a book or endpoint that fails", () => {
  let neighbour: RequestContext;
  let theirs: LoopbackReceiver;
  beforeEach(async () => {
    neighbour = requestContext();
    theirs = await LoopbackReceiver.open();
    await webhooks.createEndpoint(neighbour, { url: theirs.url });
    return () => theirs.close();
  });

  it("because its deliveries can't be claimed delays no other, and goes on once the cause is gone", async () => {
    await webhooks.consumeAndCrash(statusChange(neighbour), statusChange(payer));
    clock.advance(40_000);
    const cure = await poisonBook(units.adminUrl, "webhooks.delivery", neighbour.caller.book);
    await webhooks.sendDue();
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered" });
    expect(await webhooks.delivery(neighbour)).toMatchObject({ status: "Pending", attemptCount: 0 });
    await cure();
    clock.advance(5_000);
    await webhooks.sendDue();
    expect(await webhooks.delivery(neighbour)).toMatchObject({ status: "Delivered", attemptCount: 1 });
  });

  it("because its attempts can't be recorded fails no attempt that is recorded with it", async () => {
    receiver.holds();
    theirs.holds();
    const changes = Array.from({ length: 10 }, () => [statusChange(neighbour), statusChange(payer)]).flat();
    await webhooks.consume(...changes);
    await Promise.all([receiver.has(10), theirs.has(10)]);
    const cure = await poisonBook(units.adminUrl, "webhooks.delivery", neighbour.caller.book);
    receiver.releases();
    theirs.releases();
    await webhooks.sender.whenIdle();
    const statuses = async (of: RequestContext) =>
      (await webhooks.deliveries(of)).map(({ status }) => status);
    expect(await statuses(payer)).toEqual(Array(10).fill("Delivered"));
    expect(await statuses(neighbour)).toEqual(Array(10).fill("Pending"));
    await cure();
    clock.advance(40_000);
    await webhooks.sendDue();
    expect(await statuses(neighbour)).toEqual(Array(10).fill("Delivered"));
  });

  it("because another session has locked its deliveries delays no attempt that is recorded with it", async () => {
    receiver.holds();
    theirs.holds();
    await webhooks.consume(statusChange(neighbour), statusChange(payer));
    await Promise.all([receiver.has(1), theirs.has(1)]);
    const session = await connectTo(units.adminUrl);
    await session.query("begin");
    await session.query("select 1 from webhooks.delivery where book_id = $1 for update", [
      uuidOf(neighbour.caller.book),
    ]);
    receiver.releases();
    theirs.releases();
    const isDelivered = async () => (await webhooks.delivery(payer)).status === "Delivered";
    await until("the attempt of the other book", isDelivered);
    await webhooks.sender.whenIdle();
    await session.end();
    clock.advance(40_000);
    await webhooks.sendDue();
    expect(await webhooks.delivery(neighbour)).toMatchObject({ status: "Delivered", attemptCount: 1 });
  });

  it("because its secret can't be decrypted does not stop new events to the book's other endpoints", async () => {
    const { id } = await webhooks.createEndpoint(payer, { url: theirs.url });
    const ofEndpoint = `where endpoint_id = '${uuidOf(id)}'`;
    await asAdmin(
      units.adminUrl,
      `update webhooks.endpoint_secret set ciphertext = 'x' || ciphertext ${ofEndpoint}`,
    );
    // It has not decrypted the secret before.
    const started = new WebhooksInstance(units, clock);
    await started.deliver(statusChange(payer));
    const statuses = async () => {
      const deliveries = await started.deliveries(payer);
      const [broken] = deliveries.filter(({ endpointId }) => endpointId === id);
      const [sound] = deliveries.filter(({ endpointId }) => endpointId !== id);
      return { broken: broken?.status, sound: sound?.status };
    };
    expect(await statuses()).toEqual({ broken: "Pending", sound: "Delivered" });
    await asAdmin(
      units.adminUrl,
      `update webhooks.endpoint_secret set ciphertext = substr(ciphertext, 2) ${ofEndpoint}`,
    );
    clock.advance(40_000);
    await started.sendDue();
    expect(await statuses()).toEqual({ broken: "Delivered", sound: "Delivered" });
    await started.stop();
  });

  it("because its secret can't be decrypted delays no other, and is tried again when its lease ends", async () => {
    await webhooks.consumeAndCrash(statusChange(neighbour), statusChange(payer));
    clock.advance(40_000);
    const broken = `update webhooks.endpoint_secret s set ciphertext = 'x' || ciphertext
      from webhooks.endpoint e where e.id = s.endpoint_id and e.book_id = '${uuidOf(neighbour.caller.book)}'`;
    await asAdmin(units.adminUrl, broken);
    expect(await webhooks.sendDue()).toBe(2);
    expect(await webhooks.delivery(payer)).toMatchObject({ status: "Delivered" });
    expect(await webhooks.sendDue()).toBe(0);
    await asAdmin(units.adminUrl, broken.replace("'x' || ciphertext", "substr(ciphertext, 2)"));
    clock.advance(40_000);
    await webhooks.sendDue();
    expect(await webhooks.delivery(neighbour)).toMatchObject({ status: "Delivered", attemptCount: 1 });
  });
});
