import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { lockWaits } from "../../../test/stack/database/lock-waits.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { idOf, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateWebhookEndpoint, ListWebhookEndpoints } from "../../../contracts/messages/webhooks.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import {
  statusChange,
  TestClock,
  requestContext,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { QueryEndpoints } from "./query-endpoints.handler.ts";

const url = "https://receiver.example/hooks";
let payer: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
// As in production: only public addresses are allowed.
const webhooks = await forThisFile(
  new WebhooksInstance(units, new TestClock(), { config: { ALLOWED_TARGET_CIDRS: "" } }),
);
const query = new QueryEndpoints(units.database);
beforeEach(() => {
  payer = requestContext();
});

const keyed = (context: RequestContext, key: string, fingerprint = "f1"): RequestContext => ({
  ...context,
  idempotency: { key, fingerprint },
});
const list = async (context: RequestContext) =>
  ListWebhookEndpoints.reply.parse(await query.list({ limit: 50 }, context)).data;

async function refusal(act: () => Promise<unknown>): Promise<Refusal> {
  try {
    await act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("an endpoint", () => {
  it("gets its own secret, the current version and the seven documented types", async () => {
    const endpoint = CreateWebhookEndpoint.reply.parse(await webhooks.createEndpoint(payer, { url }));
    expect(endpoint).toMatchObject({
      url,
      description: null,
      metadata: {},
      apiVersion: "v1",
      status: "Enabled",
      createdAt: "2026-03-04T17:00:00.000Z",
      eventTypes: [
        "payment_order.pending",
        "payment_order.completed",
        "payment_order.failed",
        "payment_order.returned",
        "payment_order.cancelled",
        "fuel_tax.remittance_cleared",
        "fuel_tax.remittance_returned",
      ],
    });
    expect(endpoint.signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const another = await webhooks.createEndpoint(payer, { url });
    expect(another.signingSecret).not.toBe(endpoint.signingSecret);
  });

  it("never lists its secret and stores it encrypted", async () => {
    const { id, signingSecret } = await webhooks.createEndpoint(keyed(payer, newUuid()), { url });
    expect(JSON.stringify(await list(payer))).not.toContain("whsec_");
    const rows = await units.database.sql(
      `select e.*, s.*, i.response
       from endpoint e
       join endpoint_secret s on s.endpoint_id = e.id
       join idempotency i on i.book_id = e.book_id
       where e.id = $1`,
      [uuidOf(id)],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(signingSecret.slice("whsec_".length));
  });

  it("is listed to its own book only, newest first", async () => {
    const first = await webhooks.createEndpoint(payer, { url, description: "one" });
    const second = await webhooks.createEndpoint(payer, { url, eventTypes: ["*"] });
    expect((await list(payer)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await list(requestContext())).toEqual([]);
  });

  it("is created once per Idempotency-Key; a replay shows its secret masked", async () => {
    const context = keyed(payer, newUuid());
    const first = await webhooks.createEndpoint(context, { url });
    const masked = { ...first, signingSecret: `whsec_…${first.signingSecret.slice(-4)}` };
    expect(await webhooks.endpoints.create({ url }, context)).toEqual(new IdempotentReplay(masked));
    expect(await list(payer)).toHaveLength(1);
    const refused = await refusal(() =>
      webhooks.createEndpoint(keyed(payer, context.idempotency?.key ?? "", "f2"), { url }),
    );
    expect(refused).toMatchObject({ code: "idempotency_key_reused", context: { resourceId: first.id } });
  });
});

it("masks the secret of an answer that an earlier version has stored without one", async () => {
  const context = keyed(payer, newUuid());
  const first = await webhooks.createEndpoint(context, { url });
  await units.database.sql(
    `with stored as (delete from idempotency where key = $1 returning *)
     insert into idempotency (book_id, key, fingerprint, operation, resource_id, response)
     select book_id, key, fingerprint, operation, resource_id, response - 'signingSecret' from stored`,
    [context.idempotency?.key],
  );
  const again = await webhooks.endpoints.create({ url }, context);
  expect(again).toMatchObject({ value: { signingSecret: `whsec_…${first.signingSecret.slice(-4)}` } });
});

describe("a book with the maximum number of endpoints", () => {
  it("gets no more, even from concurrent requests, while other books do", async () => {
    const bounded = new WebhooksInstance(units, new TestClock(), {
      config: { WEBHOOK_ENDPOINTS_PER_BOOK: "3" },
    });
    try {
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, () => bounded.createEndpoint(payer, { url })),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
      expect(await list(payer)).toHaveLength(3);
      expect(await refusal(() => bounded.createEndpoint(keyed(payer, "late"), { url }))).toMatchObject({
        code: "invalid_state_transition",
        message:
          "This book has 3 webhook endpoints, the maximum. Delete one, subscribe one endpoint to several event types, or ask us for a higher limit.",
        context: { limit: 3 },
      });
      expect(await bounded.createEndpoint(requestContext(), { url })).toMatchObject({ url });
    } finally {
      await bounded.stop();
    }
  });

  it("one below it gets one more from ten requests at once, also if several count before one inserts", async () => {
    const bounded = new WebhooksInstance(units, new TestClock(), {
      config: { WEBHOOK_ENDPOINTS_PER_BOOK: "3" },
    });
    for (let count = 0; count < 2; count += 1) await bounded.createEndpoint(payer, { url });
    // Whoever has counted waits here with its row.
    const session = await connectTo(units.adminUrl);
    try {
      await session.query("begin; lock table webhooks.endpoint in share mode");
      const creations = Promise.allSettled(
        Array.from({ length: 10 }, () => bounded.createEndpoint(payer, { url })),
      );
      await until("several requests wait", async () => (await lockWaits(units.database.sql)) > 1);
      await session.query("commit");
      const results = await creations;
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await list(payer)).toHaveLength(3);
    } finally {
      await session.end();
      await bounded.stop();
    }
  });

  it("still replays the request that created its last endpoint", async () => {
    const bounded = new WebhooksInstance(units, new TestClock(), {
      config: { WEBHOOK_ENDPOINTS_PER_BOOK: "1" },
    });
    try {
      const context = keyed(payer, newUuid());
      const first = await bounded.createEndpoint(context, { url });
      expect(await bounded.endpoints.create({ url }, context)).toMatchObject({ value: { id: first.id } });
    } finally {
      await bounded.stop();
    }
  });
});

describe("an unsafe target", () => {
  it.each([
    "http://127.0.0.1/hooks",
    "http://127.1/hooks",
    "http://2130706433/hooks",
    "http://0x7f.1/hooks",
    "http://localhost:8080/hooks",
    "http://[::1]/hooks",
    "http://[::ffff:127.0.0.1]/hooks",
    "http://169.254.169.254/latest/meta-data",
    "http://10.1.2.3/hooks",
    "http://192.168.0.1/hooks",
    "http://0.0.0.0/hooks",
    "https://user:password@receiver.example/hooks",
    "ftp://receiver.example/hooks",
  ])("is refused when the endpoint is created: %s", async (unsafe) => {
    const refused = await refusal(async () => webhooks.createEndpoint(payer, { url: unsafe }));
    expect(refused).toMatchObject({
      code: "invalid_field",
      errors: [{ pointer: "/url", code: "invalid_field" }],
    });
    expect(await list(payer)).toEqual([]);
  });

  it("is plain http in Live mode", async () => {
    const live = requestContext({ mode: "Live" });
    const refused = await refusal(async () =>
      webhooks.createEndpoint(live, { url: "http://receiver.example/hooks" }),
    );
    expect(refused.errors).toMatchObject([{ message: "must begin with https:// in Live mode" }]);
    expect(await webhooks.createEndpoint(live, { url })).toMatchObject({ url });
  });

  it("is a name that resolves to loopback: no request is sent, and the attempt shows why", async () => {
    const receiver = await LoopbackReceiver.open();
    const rebound = new WebhooksInstance(units, new TestClock(), {
      config: { ALLOWED_TARGET_CIDRS: "" },
      resolve: (_hostname, _options, resolved) => resolved(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    const target = `http://receiver.example:${String(receiver.port)}/hooks`;
    const endpoint = await rebound.createEndpoint(payer, { url: target });
    const change = statusChange(payer);
    await rebound.deliver(change);
    expect(receiver.requests).toEqual([]);
    expect(await rebound.delivery(payer)).toMatchObject({
      endpointId: endpoint.id,
      eventId: idOf("evt", change.id),
      status: "Retrying",
      attempts: [
        {
          responseStatus: null,
          error:
            "UnsafeTargetError: the host resolves to a private, loopback, link-local or reserved address",
          errorClass: "Unsafe",
        },
      ],
    });
    await rebound.stop();
    await receiver.close();
  });
});
