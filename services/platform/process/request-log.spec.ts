import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { pino } from "pino";
import { afterAll, expect, it } from "vitest";
import { until } from "../../../test/stack/until.ts";
import { Metrics } from "../observability/metrics.ts";
import { logRequests } from "./request-log.ts";

const adapter = new FastifyAdapter();
const fastify = adapter.getInstance();
afterAll(() => fastify.close());
const metrics = new Metrics("gateway");
const app = { getHttpAdapter: () => adapter } as unknown as NestFastifyApplication;
logRequests(app, pino({ level: "silent" }), metrics);
fastify.get("/made", (_request, reply) => reply.status(201).send({}));
fastify.get("/refused", (_request, reply) => reply.status(409).send({}));
fastify.get("/broken", () => Promise.reject(new Error("a bug")));
fastify.get("/readyz", (_request, reply) => reply.status(503).send({}));

const counted = async () => {
  const { values } = await metrics.counter<"status">("http_requests_total", "").get();
  return values.map(({ labels, value }) => `${String(labels.status)} ${String(value)}`);
};

it("counts answers by the class of their status, from 0, without those to the orchestrator's probes", async () => {
  expect(await counted()).toEqual(["1xx 0", "2xx 0", "3xx 0", "4xx 0", "5xx 0"]);
  for (const url of ["/readyz", "/made", "/made", "/refused", "/nowhere", "/broken"])
    await fastify.inject({ method: "GET", url });
  await until(async () => (await counted()).at(-1) !== "5xx 0");
  expect(await counted()).toEqual(["1xx 0", "2xx 2", "3xx 0", "4xx 2", "5xx 1"]);
});
