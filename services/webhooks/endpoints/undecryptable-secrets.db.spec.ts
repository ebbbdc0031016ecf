/** A book with an endpoint whose secret can't be decrypted, and one that is sound. */
import { beforeEach, describe, expect, it } from "vitest";
import { webhookDiagnose } from "../../../contracts/http/webhooks/diagnosis.ts";
import { uuidOf, type WebhookEndpointId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { makeReplay, workOff } from "../../../test/stack/services/replays.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { SinksInstance } from "../../../test/stack/services/sinks.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  testCipher,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import { DiagnoseWebhookHandler } from "../diagnosis/diagnose-webhook.handler.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

const clock = new TestClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const sinks = await forThisFile(SinksInstance.start(units, clock));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
const handler = new DiagnoseWebhookHandler(units.database, new EndpointResolver(testCipher), clock);

interface Receiver {
  readonly id: WebhookEndpointId;
  readonly sinkId: string;
}
let tester: RequestContext;
let broken: Receiver;
let sound: Receiver;

async function receiver(): Promise<Receiver> {
  const { id: sinkId, url } = await sinks.create(tester);
  const { id } = await webhooks.createEndpoint(tester, { url });
  return { id, sinkId };
}

const change = (text: string) =>
  asAdmin(units.adminUrl, [
    `update webhooks.endpoint_secret set ciphertext = ${text} where endpoint_id = $1`,
    [uuidOf(broken.id)],
  ]);
const requestsOf = async ({ sinkId }: Receiver) => (await sinks.requests(tester, sinkId)).data;

beforeEach(async () => {
  tester = requestContext();
  // A replay works on the endpoint that was created first before the other one.
  broken = await receiver();
  sound = await receiver();
  await webhooks.deliver(statusChange(tester));
  await change("'x' || ciphertext");
});

describe("a secret that can't be decrypted", () => {
  it("stops a replay to its endpoint alone, which goes on within a minute after the cause is gone", async () => {
    const { id } = await makeReplay(webhooks, tester);
    const replay = () => webhooks.replays.get({ id: id ?? "" }, tester);
    await workOff(webhooks);
    expect(await replay()).toMatchObject({ status: "Running", matched: 2, queued: 1 });
    expect([(await requestsOf(broken)).length, (await requestsOf(sound)).length]).toEqual([1, 2]);
    await change("substr(ciphertext, 2)");
    clock.advance(60_000);
    await workOff(webhooks);
    expect(await replay()).toMatchObject({ status: "Done", queued: 2 });
    expect((await requestsOf(broken)).length).toBe(2);
  });

  it("is tried by a replay once a minute", async () => {
    await makeReplay(webhooks, tester, { endpointId: broken.id });
    const failures = async () =>
      /^quittance_worker_failed_ticks_total\{.*worker="replays".*\} (\d+)$/m.exec(
        await webhooks.metrics.registry.metrics(),
      )?.[1];
    await webhooks.replaySender.tick();
    const first = Number(await failures());
    await webhooks.replaySender.tick();
    expect(Number(await failures())).toBe(first);
    clock.advance(60_000);
    await webhooks.replaySender.tick();
    expect(Number(await failures())).toBe(first + 1);
  });

  it("leaves the book's test sinks answering, and those of other endpoints verified", async () => {
    await webhooks.deliver(statusChange(tester));
    const [latest] = await requestsOf(sound);
    expect(latest).toMatchObject({
      number: 2,
      verifiedByEndpointId: sound.id,
      verifiedBySecret: { version: 1, age: "Newest" },
    });
  });

  it("leaves the signatures of the book's other endpoints to be diagnosed", async () => {
    const diagnose = async ({ id, sinkId }: Receiver) => {
      const [request] = (await sinks.requests(tester, sinkId)).data;
      const sent = {
        endpointId: id,
        body: request?.body ?? "",
        header: request?.headers["x-service-signature"] ?? "",
      };
      return handler.diagnose(webhookDiagnose.parse(sent), tester);
    };
    expect(await diagnose(sound)).toMatchObject({ verdict: "Valid", signedByEndpointId: sound.id });
    await expect(diagnose(broken)).rejects.toThrow();
  });
});
