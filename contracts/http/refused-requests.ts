import { z } from "zod";
import { idSchema } from "../ids/ids.ts";
import { namedEnum } from "../named-enum.ts";
import { errorCode } from "./problem.ts";
import { createdAtFilters, pageOf, pageQuery, principal, timestamp } from "./shapes.ts";

/** The summary counts up to so many requests of a code. */
export const maxCounted = 1_000;

const statusClass = namedEnum("StatusClass", "Whose turn it is after a refusal.", {
  "4xx": "The caller's: the request must change.",
  "5xx": "Ours: the request may be sent again.",
});
export type StatusClass = z.infer<typeof statusClass>;

const status = z.int().min(400).max(599).meta({ description: "The HTTP status." });

/** A request that was refused, without its body, ids and query. */
export const refusedRequest = z
  .object({
    id: idSchema("req").meta({ description: "The same as in `X-Request-Id` and the problem's `requestId`." }),
    createdAt: timestamp.meta({ description: "When it arrived: the time in its id." }),
    method: z.string().meta({ description: "The HTTP method.", examples: ["POST"] }),
    path: z.string().meta({
      description: "The template of the path, without ids and query.",
      examples: ["/v1/payment-orders/{id}"],
    }),
    status,
    code: errorCode.meta({ description: "Why it was refused." }),
    principal: principal("The principal for whom it was made."),
    apiKeyId: idSchema("key").nullable().meta({ description: "The API key. Null for a person." }),
    durationMs: z.int().min(0).meta({ description: "Milliseconds until the answer was sent." }),
  })
  .meta({ id: "RefusedRequest", description: "A request that was refused." });
export type RefusedRequest = z.infer<typeof refusedRequest>;
export const refusedRequestPage = pageOf(refusedRequest).meta({
  id: "RefusedRequestPage",
  description: "One page of refused requests.",
});
export const refusedRequestQuery = z.strictObject({
  ...pageQuery,
  code: errorCode.optional().meta({ description: "Only requests that were refused with this code." }),
  status: statusClass.optional().meta({ description: "Only requests with a status of this class." }),
  ...createdAtFilters,
});
export type RefusedRequestQuery = z.infer<typeof refusedRequestQuery>;

export const refusalSummary = z
  .object({
    data: z
      .array(
        z.object({
          code: errorCode.meta({ description: "Why they were refused." }),
          status,
          requests: z
            .int()
            .min(1)
            .max(maxCounted)
            .meta({ description: `How many; ${maxCounted} stands for that many or more.` }),
          lastAt: timestamp.meta({ description: "When the latest of them arrived." }),
        }),
      )
      .meta({ description: "One entry for each code, the most frequent first." }),
  })
  .meta({ id: "RefusalSummary", description: "Refused requests, grouped by code." });
export type RefusalSummary = z.infer<typeof refusalSummary>;
export const refusalSummaryQuery = z.strictObject({ ...createdAtFilters });
export type RefusalSummaryQuery = z.infer<typeof refusalSummaryQuery>;
