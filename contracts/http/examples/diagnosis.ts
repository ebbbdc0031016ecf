/** The diagnosis of a webhook, as the reference page shows it. A test holds each against its schema. */
import type { z } from "zod";
import type { webhookDiagnose, webhookDiagnosis } from "../webhooks/diagnosis.ts";
import { ids } from "./ids.ts";

export const diagnosisExamples = {
  WebhookDiagnose: {
    endpointId: ids.endpoint,
    body: '{ "id": "evt_01jd3k5s8ye9v8z2r0q3m7n4xa", "type": "test.event" }',
    header: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
    id: ids.event,
  } satisfies z.input<typeof webhookDiagnose>,
  WebhookDiagnosis: {
    verdict: "BodyReserialized",
    explanation:
      "Verify the raw bytes of the request, before your framework parses them. This body is the same JSON, re-serialized.",
    scheme: "Service",
    secret: { version: 1, age: "Newest" },
    signedByEndpointId: ids.endpoint,
    eventId: ids.event,
    firstDifferentByte: 1,
  } satisfies z.output<typeof webhookDiagnosis>,
};
