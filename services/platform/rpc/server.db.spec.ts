import { Controller, Inject, Module } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { ResolveLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import {
  InquireInstruction,
  InstructionUnknown,
  SimulateInstruction,
  SubmitInstruction,
} from "../../../contracts/messages/rails.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { createDatabase } from "../../../test/stack/servers/database.ts";
import { collectMessages, startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { PlatformModule } from "../platform.module.ts";
import { platformConfig, readConfig } from "../process/config.ts";
import { startService } from "../run-service.ts";
import { HandlesRequest, type RequestContext, Consumes, IdempotentReplay } from "../handlers/decorators.ts";
import { RpcClient } from "./client.ts";
import { UnitOfWorkRunner } from "../handlers/unit-of-work.ts";

// A test service takes the role of rails and answers as each test decides; the gateway sends it requests.
let answerWith: (context: RequestContext, units: UnitOfWorkRunner) => Promise<unknown>;

const resultFor = (id: string) => ({
  paymentOrderId: id,
  action: "settle" as const,
  code: null,
  effect: "Applied" as const,
});

@Controller()
class AnswerSimulation {
  readonly #units: UnitOfWorkRunner;
  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }
  @HandlesRequest(SimulateInstruction)
  answer(data: { orderId: string }, context: RequestContext) {
    return answerWith(context, this.#units).then((value) => (value ?? resultFor(data.orderId)) as never);
  }
  @Consumes(SubmitInstruction, InquireInstruction)
  ignore(): Promise<void> {
    return Promise.resolve();
  }
}

@Module({})
class AnswerModule {}

const [messaging, database] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(createDatabase("rails")),
]);
const config = readConfig(platformConfig, messaging.environment("rails", database.urlOf("rails")));
const imports = [PlatformModule.forService({ service: "rails", config })];
const module = { module: AnswerModule, imports, controllers: [AnswerSimulation] };
const service = await forThisFile(startService(module, config, "rails"));
const gateway = await messaging.connectAs("gateway");
const rpc = new RpcClient(gateway);
beforeEach(() => {
  answerWith = () => Promise.resolve();
});

const tenant = newId("ten");
const caller: Caller = {
  book: bookIdOf(tenant, "Test"),
  tenant,
  mode: "Test",
  principal: "tester",
  requestId: newId("req"),
};
const orderId = newId("po");
const simulate = (more: object = {}, options: { deadlineMs?: number } = {}) =>
  rpc.request(SimulateInstruction, { caller, ...more }, { orderId, action: "settle" }, options);
/** The refusal of a request. */
const refusalOf = (request: Promise<unknown>) =>
  request.then(
    () => "answered",
    (error: unknown) => (error instanceof Refusal ? error : Promise.reject(error)),
  ) as Promise<Refusal>;

describe("a request", () => {
  it("returns the owner's answer, parsed with the contract", async () => {
    const { value, replayed } = await simulate();
    expect(value).toEqual(resultFor(orderId));
    expect(replayed).toBe(false);
  });

  it("has the caller and its Idempotency-Key, and stays in the caller's trace", async () => {
    const contexts: RequestContext[] = [];
    answerWith = (context) => Promise.resolve(void contexts.push(context));
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const idempotency = { key: "k", fingerprint: "f" };
    await simulate({ idempotency, traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    expect(contexts).toMatchObject([{ caller, idempotency, correlationid: caller.requestId }]);
    expect(contexts[0]?.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  });

  it("is named as the cause of the messages that it produces, in the same trace", async () => {
    const received = collectMessages(await messaging.connectAs("operator"), "evt.rails.>");
    answerWith = (context, units) =>
      units.run(async (unit) => {
        const about = { book: caller.book, subject: orderId, cause: context };
        unit.outbox.add(InstructionUnknown, { ...about, data: { orderId } });
      });
    const trace = "5bf92f3577b34da6a3ce929d0e0e4736";
    await simulate({ traceparent: `00-${trace}-00f067aa0ba902b7-00` });
    await until(() => received.length === 1);
    expect(received[0]).toMatchObject({ correlationid: caller.requestId, subject: orderId });
    expect(received[0]?.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
  });

  it("reports when its answer is a replay", async () => {
    answerWith = () => Promise.resolve(new IdempotentReplay(resultFor(orderId)));
    expect(await simulate()).toMatchObject({ value: { paymentOrderId: orderId }, replayed: true });
  });
});

describe("a stream message that arrives at a request's subject", () => {
  it("is not handled as a request, although a pull may name any reply subject", async () => {
    const operator = await messaging.connectAs("operator");
    const consumer = { durable_name: "thief", ack_policy: "explicit", filter_subject: "evt.orders.forged.>" };
    await messaging.manager.consumers.add("EVT", consumer as never);
    const contexts: RequestContext[] = [];
    answerWith = (context) => Promise.resolve(void contexts.push(context));
    const forged = { caller: { ...caller, principal: "forged" }, data: { orderId, action: "settle" } };
    await messaging.publish("evt.orders.forged.v1.p00", JSON.stringify(forged));
    operator.publish("$JS.API.CONSUMER.MSG.NEXT.EVT.thief", "", { reply: SimulateInstruction.subject });
    await until(async () => (await messaging.manager.consumers.info("EVT", "thief")).num_ack_pending === 1);
    // A real request sent after it has been answered, so the forged one arrived and was dropped.
    await simulate();
    expect(contexts.map((context) => context.caller.principal)).toEqual(["tester"]);
    await messaging.manager.consumers.delete("EVT", "thief");
  });
});

describe("a refusal", () => {
  it("arrives as the owner threw it", async () => {
    const errors = [{ pointer: "/code", code: "invalid_field" as const, message: "is none of these" }];
    answerWith = () =>
      Promise.reject(
        new Refusal("simulation_not_applicable", "R01 can't happen here.", {
          errors,
          context: { allowedCodes: ["R02"] },
        }),
      );
    expect(await refusalOf(simulate())).toMatchObject({
      code: "simulation_not_applicable",
      message: "R01 can't happen here.",
      errors,
      context: { allowedCodes: ["R02"] },
    });
  });

  it("is internal_error for a bug, without any detail of it", async () => {
    answerWith = () => Promise.reject(new TypeError("account 4111222233334444 is undefined"));
    const refusal = await refusalOf(simulate());
    expect(refusal).toMatchObject({ code: "internal_error" });
    expect(JSON.stringify([refusal, refusal.message])).not.toContain("4111222233334444");
  });

  it("is service_unavailable while the database is unavailable", async () => {
    answerWith = (_ask, units) =>
      units.run(({ sql }) => sql("select pg_terminate_backend(pg_backend_pid())"));
    expect(await refusalOf(simulate())).toMatchObject({ code: "service_unavailable" });
  });

  it("is service_unavailable at once when no instance is connected", async () => {
    const began = performance.now();
    const request = rpc.request(GetOrder, { caller }, { id: orderId });
    expect(await refusalOf(request)).toMatchObject({ code: "service_unavailable" });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("is upstream_timeout after the deadline, when the request may have been carried out", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answerWith = () => promise;
    expect(await refusalOf(simulate({}, { deadlineMs: 50 }))).toMatchObject({ code: "upstream_timeout" });
    resolve();
  });
});

describe("the server", () => {
  it("does not let webhooks publish a command to the ledger", async () => {
    const webhooks = await messaging.connectAs("webhooks");
    const refused = violationsOf(webhooks);
    webhooks.publish("cmd.ledger.place-hold.v1.p00", "{}");
    await until(() => refused.length > 0);
    expect(refused).toEqual(["publish cmd.ledger.place-hold.v1.p00"]);
    expect((await messaging.manager.streams.info("CMD")).state.messages).toBe(0);
  });

  it("does not let a service publish another service's events", async () => {
    const webhooks = await messaging.connectAs("webhooks");
    const refused = violationsOf(webhooks);
    webhooks.publish("evt.webhooks.forged.v1.p00", "{}");
    webhooks.publish("ntf.orders.order-status-changed.v1.p00", "{}");
    await until(() => refused.length === 2);
    expect(refused).toEqual([
      "publish evt.webhooks.forged.v1.p00",
      "publish ntf.orders.order-status-changed.v1.p00",
    ]);
  });

  it("does not let the gateway send requests or subscribe beyond its permissions", async () => {
    const refused = violationsOf(gateway);
    gateway.publish("rpc.ledger.resolve-account.v1", "{}");
    gateway.subscribe("_INBOX_orders.>", { callback: () => undefined });
    await until(() => refused.length === 2);
    expect(refused).toEqual(["publish rpc.ledger.resolve-account.v1", "subscription _INBOX_orders.>"]);
    const request = rpc.request(
      ResolveLedgerAccount,
      { caller },
      { nameOrId: "Operating", as: "Name" },
      { deadlineMs: 300 },
    );
    await expect(request).rejects.toThrow();
  });
});

/** The permission errors that the server reports on a connection from now on. */
function violationsOf(nats: NatsConnection): string[] {
  const refused: string[] = [];
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type !== "error") continue;
      const { operation, subject } = status.error as { operation?: string; subject?: string };
      refused.push(`${operation ?? "?"} ${subject ?? "?"}`);
    }
  })();
  return refused;
}

describe("probes", () => {
  it("distinguish readiness from liveness, and metrics count requests by outcome", async () => {
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: "alive" });
    expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: "ready" });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/quittance_request_seconds_count\{[^}]*outcome="internal_error"[^}]*\} 1/);
  });
});
