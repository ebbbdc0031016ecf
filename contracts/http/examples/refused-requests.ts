import type { z } from "zod";
import type { refusalSummary, refusedRequest } from "../refused-requests.ts";
import { at, ids } from "./ids.ts";

export const refusedRequestExamples = {
  RefusedRequest: {
    id: "req_01jd3k60a2f8x9t4c1v5b7w3me",
    createdAt: at(0),
    method: "POST",
    path: "/v1/payment-orders/{id}/approve",
    status: 403,
    code: "self_approval_not_allowed",
    principal: "maya",
    apiKeyId: ids.key,
    durationMs: 12,
  } satisfies z.output<typeof refusedRequest>,
  RefusalSummary: {
    data: [{ code: "self_approval_not_allowed", status: 403, requests: 3, lastAt: at(0) }],
  } satisfies z.output<typeof refusalSummary>,
};
