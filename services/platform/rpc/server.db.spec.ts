import { Controller, Inject, Module } from "@nestjs/common";
import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import {
  InquireInstruction,
  InstructionUnknown,
  SimulateInstruction,
  SubmitInstruction,
} from "../../../contracts/messages/rails.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { giveUp } from "../../../test/stack/give-up.ts";
import { createDatabase } from "../../../test/stack/servers/database.ts";
import { collectMessages, startMessaging } from "../../../test/stack/servers/messaging.ts";
import { patienceMs, until } from "../../../test/stack/until.ts";
import { PlatformModule } from "../platform.module.ts";
import { platformConfig, readConfig } from "../process/config.ts";
import { startService } from "../run-service.ts";
import { HandlesRequest, type RequestContext, Consumes, IdempotentReplay } from "../handlers/decorators.ts";
import { Database } from "../persistence/database.ts";
import { natsHeaders } from "../nats/connection.ts";
import { RpcClient } from "./client.ts";
import { withIdempotency } from "./idempotency.ts";
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

  it("is internal_error for an answer that NATS would not carry, and the next one is sent", async () => {
    answerWith = () => Promise.resolve({ ...resultFor(orderId), code: "x".repeat(1_100_000) });
    expect(await refusalOf(simulate())).toMatchObject({ code: "internal_error" });
    answerWith = () => Promise.resolve();
    expect((await simulate()).value).toEqual(resultFor(orderId));
  });

  it("is service_unavailable while the database is unavailable", async () => {
    answerWith = (_ask, units) =>
      units.run(({ sql }) => sql("select pg_terminate_backend(pg_backend_pid())"));
    expect(await refusalOf(simulate())).toMatchObject({ code: "service_unavailable" });
  });

  it("is service_unavailable at once when no instance is connected", async () => {
    // Not at its deadline: that would be upstream_timeout.
    const request = rpc.request(GetOrder, { caller }, { id: orderId }, { deadlineMs: 60_000 });
    expect(await refusalOf(request)).toMatchObject({ code: "service_unavailable" });
  });

  it("is upstream_timeout after the deadline, when the request may have been carried out", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answerWith = () => promise;
    expect(await refusalOf(simulate({}, { deadlineMs: 50 }))).toMatchObject({ code: "upstream_timeout" });
    resolve();
  });
});

describe("a deadline", () => {
  const sent = { caller, data: { orderId, action: "settle" } };
  const sendWith = async (deadline: number) => {
    const headers = natsHeaders({ deadline: String(deadline) });
    const reply = await gateway.request(SimulateInstruction.subject, JSON.stringify(sent), {
      timeout: patienceMs,
      headers,
    });
    return reply.json<{ ok: boolean; refusal?: { code: string } }>();
  };

  it("travels with each request, as the moment at which its caller stops waiting", async () => {
    const contexts: RequestContext[] = [];
    answerWith = (context) => Promise.resolve(void contexts.push(context));
    const before = Date.now();
    await simulate({}, { deadlineMs: 60_000 });
    const after = Date.now();
    expect(contexts[0]?.deadline).toBeGreaterThanOrEqual(before + 60_000);
    expect(contexts[0]?.deadline).toBeLessThanOrEqual(after + 60_000);
  });

  it("is that of the first caller for a request that is sent on its behalf", async () => {
    const contexts: RequestContext[] = [];
    answerWith = (context) => Promise.resolve(void contexts.push(context));
    const deadline = Date.now() + 60_000;
    await simulate({ deadline }, { deadlineMs: 120_000 });
    expect(contexts.map((context) => context.deadline)).toEqual([deadline]);
    expect(await refusalOf(simulate({ deadline: Date.now() - 1 }))).toMatchObject({
      code: "upstream_timeout",
    });
    expect(contexts).toHaveLength(1);
  });

  it("that has passed when the request arrives drops it", async () => {
    let handled = 0;
    answerWith = () => Promise.resolve(void (handled += 1));
    expect(await sendWith(Date.now() - 1)).toMatchObject({
      ok: false,
      refusal: { code: "upstream_timeout" },
    });
    expect(handled).toBe(0);
    expect(await sendWith(Date.now() + 60_000)).toMatchObject({ ok: true });
    expect(handled).toBe(1);
  });

  it("that passes while the write waits for a lock undoes the write", async () => {
    const holding = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const units = service.app.get(UnitOfWorkRunner);
    const holder = units.run(async ({ sql }) => {
      await sql("select pg_advisory_xact_lock(4711)");
      holding.resolve();
      await release.promise;
    });
    await holding.promise;
    const write = (request: RequestContext) =>
      units.runFor(request, (unit) =>
        withIdempotency(unit, request, { name: "write", resourceId: () => orderId }, async () => {
          await unit.sql("select pg_advisory_xact_lock(4711)");
          await unit.sql(
            "insert into failed_message (message_id, type, failures, last_error) values (gen_random_uuid(), 'late', 1, '')",
          );
          return resultFor(orderId);
        }),
      );
    let ended: Promise<unknown> | undefined;
    answerWith = (request) => (ended = write(request));
    await giveUp(
      (deadlineMs) => simulate({}, { deadlineMs }),
      () => ended !== undefined,
    );
    release.resolve();
    await holder;
    await expect(ended).rejects.toMatchObject({ code: "upstream_timeout" });
    const rows = await service.app.get(Database).sql("select 1 from failed_message where type = 'late'");
    expect(rows).toEqual([]);
  });
});

describe("probes", () => {
  it("distinguish readiness from liveness, and metrics count requests by outcome", async () => {
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: "alive" });
    const readiness = async () => (await fetch(`${service.url}/readyz`)).json();
    await expect.poll(readiness).toEqual({ status: "ready" });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/quittance_request_seconds_count\{[^}]*outcome="internal_error"[^}]*\} 1/);
  });
});
