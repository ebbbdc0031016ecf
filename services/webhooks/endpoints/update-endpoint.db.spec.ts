import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { WebhookEndpointPatch } from "../../../contracts/http/webhooks/webhooks.ts";
import { newId, newUuid } from "../../../contracts/ids/ids.ts";
import { UpdateWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { TestClock, requestContext, WebhooksInstance } from "../../../test/stack/services/webhooks.ts";
import { type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { QueryEndpoints } from "./query-endpoints.handler.ts";

const url = "https://receiver.example/hooks";
const units = await forThisFile(openFreshUnits("webhooks"));
// As in production: only public addresses are allowed.
const webhooks = await forThisFile(
  new WebhooksInstance(units, new TestClock(), { config: { ALLOWED_TARGET_CIDRS: "" } }),
);
const query = new QueryEndpoints(units.database);
let payer: RequestContext;
let id: string;
beforeEach(async () => {
  payer = requestContext();
  const described = { description: "Payments", metadata: { team: "ops", stage: "one" } };
  ({ id } = await webhooks.createEndpoint(payer, { url, ...described }));
});

const update = async (change: WebhookEndpointPatch, context = payer) =>
  webhooks.updates.update(UpdateWebhookEndpoint.data.parse({ id, change }), context);
const read = () => query.get({ id }, payer);

describe("a new endpoint", () => {
  it("has the service's own limits, until it names its own", async () => {
    const none = { maxAttempts: null, backoffSeconds: null, ratePerSecond: null, disableAfterDays: null };
    expect(await read()).toMatchObject(none);
    const own = {
      maxAttempts: 10,
      backoffSeconds: [1, 86_400],
      ratePerSecond: 1_000,
      disableAfterDays: 30,
    };
    const created = await webhooks.createEndpoint(payer, { url, ...own });
    expect(await query.get({ id: created.id }, payer)).toMatchObject(own);
  });
});

describe("a change of an endpoint", () => {
  it("replaces what it names and keeps the rest", async () => {
    const before = await read();
    const changed = await update({
      url: "HTTPS://Receiver.example:443/payments",
      eventTypes: ["*"],
      maxAttempts: 5,
      backoffSeconds: [30, 300],
      ratePerSecond: 20,
      disableAfterDays: 1,
    });
    expect(changed).toEqual({
      ...before,
      url: "https://receiver.example/payments",
      eventTypes: ["*"],
      maxAttempts: 5,
      backoffSeconds: [30, 300],
      ratePerSecond: 20,
      disableAfterDays: 1,
    });
    expect(await read()).toEqual(changed);
  });

  it("removes an optional field with null", async () => {
    await update({ maxAttempts: 5, backoffSeconds: [30], ratePerSecond: 20, disableAfterDays: 30 });
    await update({
      description: null,
      metadata: null,
      maxAttempts: null,
      backoffSeconds: null,
      ratePerSecond: null,
      disableAfterDays: null,
    });
    expect(await read()).toMatchObject({
      url,
      description: null,
      metadata: {},
      maxAttempts: null,
      backoffSeconds: null,
      ratePerSecond: null,
      disableAfterDays: null,
    });
  });

  it("sets and removes single pairs of metadata, up to fifty in all", async () => {
    expect(await update({ metadata: { stage: null, owner: "ada" } })).toMatchObject({
      metadata: { team: "ops", owner: "ada" },
    });
    const many = Object.fromEntries(Array.from({ length: 49 }, (_, at) => [`key ${String(at)}`, "value"]));
    await expect(update({ metadata: many })).rejects.toMatchObject({
      code: "invalid_field",
      errors: [{ pointer: "/metadata" }],
    });
    expect(await read()).toMatchObject({ metadata: { team: "ops", owner: "ada" } });
  });

  it("happens once per Idempotency-Key", async () => {
    const keyed = { ...payer, idempotency: { key: newUuid(), fingerprint: "f1" } };
    const first = await update({ description: "one" }, keyed);
    await update({ description: "two" });
    expect(await update({ description: "one" }, keyed)).toEqual(new IdempotentReplay(first));
    expect(await read()).toMatchObject({ description: "two" });
  });

  it("loses nothing when two come at once", async () => {
    await Promise.all([
      update({ description: "one" }),
      update({ ratePerSecond: 3 }),
      update({ maxAttempts: 4 }),
    ]);
    expect(await read()).toMatchObject({ description: "one", ratePerSecond: 3, maxAttempts: 4 });
  });

  it("is not found for another tenant's endpoint, nor for that of another mode", async () => {
    const { tenant } = payer.caller;
    for (const stranger of [requestContext(), requestContext({ tenant, mode: "Live" })]) {
      await expect(update({ description: "mine" }, stranger)).rejects.toMatchObject({ code: "not_found" });
    }
    id = newId("we");
    await expect(update({ description: "mine" })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a new url", () => {
  it.each([
    "http://127.0.0.1/hooks",
    "http://2130706433/hooks",
    "http://0x7f.1/hooks",
    "http://[::ffff:10.0.0.1]/hooks",
    "http://169.254.169.254/latest/meta-data",
    "http://localhost/hooks",
    "https://user:password@receiver.example/hooks",
    "https://receiver.example:0/hooks",
    "https://receiver.example:25/hooks",
  ])("is judged like that of a new endpoint: %s", async (unsafe) => {
    await expect(update({ url: unsafe, description: "moved" })).rejects.toMatchObject({
      code: "invalid_field",
      errors: [{ pointer: "/url", code: "invalid_field" }],
    });
    expect(await read()).toMatchObject({ url, description: "Payments" });
  });

  it("begins with https:// in Live mode", async () => {
    const live = requestContext({ mode: "Live" });
    ({ id } = await webhooks.createEndpoint(live, { url }));
    await expect(update({ url: "http://receiver.example/hooks" }, live)).rejects.toMatchObject({
      errors: [{ message: "must begin with https:// in Live mode" }],
    });
  });
});

describe("the body of a change", () => {
  const faultsOf = (change: unknown) =>
    UpdateWebhookEndpoint.data
      .safeParse({ id: "we", change })
      .error?.issues.map(({ path }) => path.join("/"));

  it.each([
    ["nothing", {}, ["change"]],
    ["a url of 2,049 characters", { url: `https://a.example/${"x".repeat(2_031)}` }, ["change/url"]],
    ["no url", { url: null }, ["change/url"]],
    ["an unknown type", { eventTypes: ["payment_order.lost"] }, ["change/eventTypes/0"]],
    ["no type", { eventTypes: [] }, ["change/eventTypes"]],
    ["no attempt", { maxAttempts: 0 }, ["change/maxAttempts"]],
    ["eleven attempts", { maxAttempts: 11 }, ["change/maxAttempts"]],
    ["no pause", { backoffSeconds: [] }, ["change/backoffSeconds"]],
    ["a pause of more than a day", { backoffSeconds: [86_401] }, ["change/backoffSeconds/0"]],
    ["a pause of no time", { backoffSeconds: [0] }, ["change/backoffSeconds/0"]],
    ["ten pauses", { backoffSeconds: Array.from({ length: 10 }, () => 1) }, ["change/backoffSeconds"]],
    ["a rate of none", { ratePerSecond: 0 }, ["change/ratePerSecond"]],
    ["a rate of half a request", { ratePerSecond: 0.5 }, ["change/ratePerSecond"]],
    ["no day", { disableAfterDays: 0 }, ["change/disableAfterDays"]],
    ["thirty-one days", { disableAfterDays: 31 }, ["change/disableAfterDays"]],
    ["a day and a half", { disableAfterDays: 1.5 }, ["change/disableAfterDays"]],
    ["an unknown status", { status: "Deleted" }, ["change/status"]],
    ["an unknown field", { apiVersion: "v2" }, ["change"]],
  ])("can't have %s", (_what, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });

  it("takes a url of 2,048 characters", () => {
    expect(faultsOf({ url: `https://a.example/${"x".repeat(2_030)}` })).toBeUndefined();
  });
});
