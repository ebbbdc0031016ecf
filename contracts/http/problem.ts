import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../errors.ts";
import { namedEnum } from "../named-enum.ts";

const titles = Object.fromEntries(
  Object.entries(errorCatalogue).map(([code, { title }]) => [code, `${title}.`]),
) as Record<ErrorCode, string>;
export const errorCode = namedEnum("ErrorCode", "Why a request was refused. New codes may be added.", titles);

/** RFC 9457, with a code for programs. Context members may follow. */
export const problem = z
  .looseObject({
    type: z.url().meta({ description: "The page that explains the code." }),
    title: z.string().meta({ description: "The code in words. The same for every refusal with this code." }),
    status: z.int().min(400).max(599).meta({ description: "The HTTP status." }),
    detail: z.string().meta({ description: "What to do, for a person." }),
    instance: z.string().meta({ description: "The path that was called." }),
    code: errorCode.meta({ description: "Switch on this in programs. New codes may be added." }),
    requestId: z
      .string()
      .meta({ description: "The same as in `X-Request-Id`. Quote it when you contact support." }),
    retryable: z.boolean().meta({
      description:
        "True if the same request may succeed later, unchanged. False for a write without an Idempotency-Key that failed with a 5xx and may have been carried out.",
    }),
    errors: z
      .array(
        z.object({
          pointer: z.string().meta({
            description: "RFC 6901 pointer into the body, or `?name` for a query parameter.",
          }),
          code: errorCode.meta({ description: "Why this field is refused." }),
          message: z.string().meta({ description: "What is wrong with the field, for a person." }),
        }),
      )
      .optional()
      .meta({ description: "One entry for each invalid field." }),
  })
  .meta({
    id: "Problem",
    description:
      "A refusal (RFC 9457). With 4xx nothing has changed; with 5xx a write may have been carried out.",
  });
export type Problem = z.infer<typeof problem>;
