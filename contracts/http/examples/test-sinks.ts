/** Test sinks, as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type {
  testSink,
  testSinkAnswer,
  testSinkCreate,
  testSinkPatch,
  testSinkRequest,
} from "../webhooks/test-sinks.ts";
import { at, ids } from "./ids.ts";

export const testSinkExamples = {
  TestSinkAnswer: { status: 503, headers: { "retry-after": "120" } } satisfies z.input<typeof testSinkAnswer>,
  TestSinkCreate: { respond: [500, { fault: "Hang" }, 200] } satisfies z.input<typeof testSinkCreate>,
  TestSinkPatch: { respond: [200] } satisfies z.input<typeof testSinkPatch>,
  TestSink: {
    id: ids.sink,
    url: "https://quittance.example/sinks/01jd3k2r5de6n0y4w8b7v3f1sq",
    respond: [500, 0, 200],
    script: [{ status: 500 }, { fault: "Hang" }, { status: 200 }],
    delayMs: 0,
    received: 1,
    createdAt: at(0),
  } satisfies z.output<typeof testSink>,
  TestSinkRequest: {
    number: 1,
    receivedAt: at(400),
    headers: { "content-type": "application/json", "webhook-id": ids.event },
    body: '{"id":"evt_..."}',
    bodyBase64: "eyJpZCI6ImV2dF8uLi4ifQ==",
    verifiedByEndpointId: ids.endpoint,
    verifiedBySecret: { version: 2, age: "Newest" },
    respondedStatus: 500,
    answer: { status: 500 },
  } satisfies z.output<typeof testSinkRequest>,
};
