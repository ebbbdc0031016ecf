import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { serviceSignature, signingSecret } from "./domain/signature.ts";

const hour = 3_600_000;
const units = await forThisFile(openFreshUnits("webhooks"));
let clock: TestClock;
let webhooks: WebhooksInstance;
let receiver: LoopbackReceiver;
let payer: RequestContext;
let id: `we_${string}`;
let first: string;
beforeEach(async () => {
  clock = new TestClock();
  payer = requestContext();
  webhooks = new WebhooksInstance(units, clock);
  receiver = await LoopbackReceiver.open();
  ({ id, signingSecret: first } = await webhooks.createEndpoint(payer, { url: receiver.url }));
  return async () => {
    await webhooks.stop();
    await receiver.close();
  };
});

async function rotate(overlapHours = 24, context = payer): Promise<string> {
  const answer = await webhooks.secrets.rotate({ id, overlapHours }, context);
  return (answer instanceof IdempotentReplay ? answer.value : answer).signingSecret;
}
const retire = (context = payer) => webhooks.secrets.retire({ id }, context);

/** Sends an event and returns which of these secrets signed it, in the order of its signatures. */
async function signedBy(secrets: Readonly<Record<string, string>>): Promise<string[]> {
  await webhooks.deliver(statusChange(payer));
  const { headers, body } = receiver.requests.at(-1)!;
  const names = new Map(
    Object.entries(secrets).map(([name, text]) => [serviceSignature(signingSecret(text), body), name]),
  );
  return String(headers["x-service-signature"])
    .split(",")
    .map((signature) => names.get(signature) ?? "unknown");
}

describe("a rotation", () => {
  it("shows the new secret, and from the next attempt on all active ones sign, newest first", async () => {
    const answer = await webhooks.secrets.rotate({ id, overlapHours: 24 }, payer);
    expect(answer).toEqual({
      endpointId: id,
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
      activeSecrets: [
        { createdAt: "2026-03-04T17:00:00.000Z", retiresAt: null },
        { createdAt: "2026-03-04T17:00:00.000Z", retiresAt: "2026-03-05T17:00:00.000Z" },
      ],
    });
    const { signingSecret: second } = answer as { signingSecret: string };
    expect(await signedBy({ first, second })).toEqual(["second", "first"]);
  });

  it("ends the older secrets when the overlap is over, also those that were rotated before", async () => {
    const second = await rotate(24);
    clock.advance(hour);
    const third = await rotate(1);
    expect(await signedBy({ first, second, third })).toEqual(["third", "second", "first"]);
    clock.advance(hour);
    expect(await signedBy({ first, second, third })).toEqual(["third"]);
  });

  it("does not let an older secret sign longer than its own overlap", async () => {
    const second = await rotate(1);
    const third = await rotate(168);
    clock.advance(hour);
    expect(await signedBy({ first, second, third })).toEqual(["third", "second"]);
    clock.advance(167 * hour);
    expect(await signedBy({ first, second, third })).toEqual(["third"]);
  });

  it("without overlap leaves the new secret alone, however many there were", async () => {
    for (let count = 0; count < 4; count += 1) await rotate(168);
    const newest = await rotate(0);
    expect(await signedBy({ newest })).toEqual(["newest"]);
  });

  it("is refused when five secrets are active, and changes nothing; it works once one has ended", async () => {
    await rotate(2);
    for (let count = 0; count < 3; count += 1) await rotate(168);
    const before = await storedSecrets();
    await expect(rotate()).rejects.toMatchObject({
      code: "webhook_secret_limit",
      message: `The endpoint has 5 active secrets, the maximum. End the older ones with POST /v1/webhook-endpoints/${id}/retire-previous-secret, or wait until one ends.`,
      context: { resourceId: id, limit: 5 },
    });
    expect(await storedSecrets()).toEqual(before);
    clock.advance(2 * hour);
    const sixth = await rotate();
    const signers = await signedBy({ sixth, first });
    expect(signers).toHaveLength(5);
    expect(signers[0]).toBe("sixth");
    expect(signers).not.toContain("first");
  });

  it("happens once per Idempotency-Key; its replay shows the secret masked, and stores it nowhere in clear", async () => {
    const keyed = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const secret = await rotate(24, keyed);
    const again = await webhooks.secrets.rotate({ id, overlapHours: 24 }, keyed);
    expect(again).toMatchObject({
      value: { endpointId: id, signingSecret: `whsec_…${secret.slice(-4)}`, activeSecrets: [{}, {}] },
    });
    const rows = await units.database.sql(
      `select s.*, i.response from endpoint_secret s join idempotency i on i.key = $2 where s.endpoint_id = $1`,
      [uuidOf(id), keyed.idempotency.key],
    );
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(secret.slice("whsec_".length));
  });
});

describe("a retirement", () => {
  it("leaves the newest secret alone, at once", async () => {
    await rotate(168);
    const third = await rotate(168);
    expect(await retire()).toEqual({
      endpointId: id,
      activeSecrets: [{ createdAt: "2026-03-04T17:00:00.000Z", retiresAt: null }],
    });
    expect(await signedBy({ first, third })).toEqual(["third"]);
  });

  it("is refused where only one is left, also after an overlap", async () => {
    const onlyOne = {
      code: "invalid_state_transition",
      message: `Only one secret is active, and it signs every delivery. Replace it with POST /v1/webhook-endpoints/${id}/rotate-secret.`,
      context: { resourceId: id },
    };
    await expect(retire()).rejects.toMatchObject(onlyOne);
    await rotate(1);
    clock.advance(hour);
    await expect(retire()).rejects.toMatchObject(onlyOne);
  });

  it("and rotations at once never leave an endpoint without an active secret", async () => {
    for (let round = 0; round < 5; round += 1) {
      await Promise.allSettled([rotate(0), retire(), rotate(1), retire(), rotate(24), retire()]);
      const { headers } = await lastRequest();
      // Without an active secret nothing would have been sent.
      expect(receiver.requests).toHaveLength(round + 1);
      const count = String(headers["x-service-signature"]).split(",").length;
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(5);
    }
  });
});

describe("rotation and retirement", () => {
  it("are not found for another tenant's endpoint, that of another mode, or a deleted one", async () => {
    await rotate();
    const { tenant } = payer.caller;
    const before = await storedSecrets();
    for (const stranger of [requestContext(), requestContext({ tenant, mode: "Live" })]) {
      await expect(rotate(24, stranger)).rejects.toMatchObject({ code: "not_found" });
      await expect(retire(stranger)).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await storedSecrets()).toEqual(before);
    await webhooks.deletions.delete({ id }, payer);
    await expect(rotate()).rejects.toMatchObject({ code: "not_found" });
    await expect(retire()).rejects.toMatchObject({ code: "not_found" });
    id = newId("wh") as string as typeof id;
    await expect(rotate()).rejects.toMatchObject({ code: "not_found" });
  });
});

const storedSecrets = () =>
  units.database.sql("select * from endpoint_secret where endpoint_id = $1 order by version", [uuidOf(id)]);

async function lastRequest() {
  await webhooks.deliver(statusChange(payer));
  return receiver.requests.at(-1)!;
}
