import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../errors.ts";

const code = z.enum(Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]);

/** RFC 9457, with what a program needs beside what a person reads. Context members may follow. */
export const problem = z
  .looseObject({
    type: z.url().meta({ description: "The page that explains the code." }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "For a person: what clears it." }),
    instance: z.string().meta({ description: "The path that was called." }),
    code: code.meta({ description: "What a program switches on. New ones may come." }),
    requestId: z
      .string()
      .meta({ description: "The same as in `X-Request-Id`; finds the request in our logs." }),
    retryable: z.boolean().meta({ description: "The same request may succeed later, unchanged." }),
    errors: z
      .array(
        z.object({
          pointer: z.string().meta({
            description: "RFC 6901 pointer into the body, or `?name` for a parameter of the query.",
          }),
          code,
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: "Each faulty field." }),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof problem>;
