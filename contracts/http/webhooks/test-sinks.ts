import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { createdAt, digitsAsNumber, mergePatch, pageOf, pageQuery, timestamp } from "../shapes.ts";
import { secretUsed } from "./signing-secrets.ts";

/** The longest that a sink keeps a request open, in milliseconds. */
export const maxHeldMs = 60_000;
const maxAnswers = 100;

const fault = namedEnum("TestSinkFault", "How a test sink fails instead of answering.", {
  Hang: "It sends nothing, and closes the connection after 60 seconds.",
  Drip: "It sends status and headers, then one byte of the body a second, for at most 60 seconds.",
  Reset: "It resets the connection without an answer.",
});

const delayMs = z.int().min(0).max(30_000);

/** They frame the message, or belong to this connection or this host: the sink sets them itself, or never. */
const ownHeaders =
  /^(connection|content-length|keep-alive|clear-site-data|set-cookie|strict-transport-security|te|trailer|transfer-encoding|upgrade)$/i;
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, { error: "must be the name of a header" })
  .refine((name) => !ownHeaders.test(name), { error: "is set by the sink itself" });
const headerValue = z
  .string()
  .max(1_000)
  .regex(/^[\x20-\x7e]*$/, { error: "must be printable ASCII" });

const answerFields = z.strictObject({
  status: z.int().min(200).max(599).optional().meta({
    description: "The status. Default: 200, or 302 with `redirectTo`.",
  }),
  headers: z
    .record(headerName, headerValue)
    .refine((headers) => Object.keys(headers).length <= 20, { error: "at most 20 headers" })
    .optional()
    .meta({
      maxProperties: 20,
      description: "Headers of the answer, at most 20. The sink sets those of the connection itself.",
      examples: [{ "retry-after": "120" }],
    }),
  bodyBytes: z
    .int()
    .min(0)
    .max(10 * 1024 * 1024)
    .optional()
    .meta({ description: "The size of the body in bytes. Default: a short JSON; 60 with `Drip`." }),
  delayMs: delayMs.optional().meta({
    description: "How long to wait before this answer, in milliseconds. Default: the sink's `delayMs`.",
  }),
  fault: fault.optional(),
  redirectTo: z.url().max(2048).optional().meta({ description: "The `Location` of a redirect." }),
});
export const testSinkAnswer = answerFields
  .superRefine(({ status, fault: fails, redirectTo, ...rest }, context) => {
    const refuse = (member: string, message: string) =>
      context.addIssue({ code: "custom", path: [member], message });
    if (fails === "Hang" || fails === "Reset") {
      const unsent = { status, redirectTo, headers: rest.headers, bodyBytes: rest.bodyBytes };
      for (const [member, value] of Object.entries(unsent)) {
        if (value !== undefined) refuse(member, `can't be combined with ${fails}, which sends no answer`);
      }
    }
    if (redirectTo !== undefined && status !== undefined && (status < 300 || status > 399)) {
      refuse("status", "must be 300 to 399 with redirectTo");
    }
    if (status !== undefined && [204, 205, 304].includes(status)) {
      if ((rest.bodyBytes ?? 0) > 0) refuse("bodyBytes", `must be 0 with the status ${String(status)}`);
      if (fails === "Drip")
        refuse("fault", `can't be Drip with the status ${String(status)}, which has no body`);
    }
  })
  .meta({ id: "TestSinkAnswer", description: "One answer of a test sink's script." });
export type TestSinkAnswer = z.infer<typeof testSinkAnswer>;
const shownAnswer = z
  .object(answerFields.shape)
  .meta({ id: "TestSinkScriptedAnswer", description: "One answer of a test sink's script." });

/** A status alone is an answer with that status. */
const script = z
  .array(z.union([z.int().min(200).max(599), testSinkAnswer]))
  .min(1)
  .max(maxAnswers);
const scriptNote = "The answers, in turn: each a status, or an object that says more. The last one repeats.";
const delayNote = "How long to wait before each answer, in milliseconds.";

export const testSinkCreate = z
  .strictObject({
    respond: script.default([200]).meta({ description: `${scriptNote} Default: 200.` }),
    delayMs: delayMs.default(0).meta({ description: `${delayNote} Default: 0.` }),
  })
  .meta({ id: "TestSinkCreate", description: "A new test sink." });

export const testSinkPatch = mergePatch(
  z
    .strictObject({
      respond: script.optional().meta({ description: `${scriptNote} It starts with its first answer.` }),
      delayMs: delayMs.optional().meta({ description: delayNote }),
    })
    .refine((patch) => Object.values(patch).some((value) => value !== undefined), {
      error: "must have respond or delayMs",
    })
    .meta({ id: "TestSinkPatch", description: "The fields of a test sink to change." }),
);
export type TestSinkPatch = z.infer<typeof testSinkPatch>;

export const testSink = z
  .object({
    id: idSchema("sink"),
    url: z.string().meta({ description: "The URL to create a webhook endpoint with." }),
    respond: z.array(z.int()).meta({
      description: "The statuses of the answers, in turn; 0 for one that sends none. The last one repeats.",
    }),
    script: z.array(shownAnswer).meta({ description: "The answers in full, in turn." }),
    delayMs: z.int().meta({ description: delayNote }),
    received: z.int().meta({ description: "How many requests it has received, also those cleared since." }),
    createdAt,
  })
  .meta({ id: "TestSink", description: "A receiver for webhooks inside the service, for tests." });
export type TestSink = z.infer<typeof testSink>;
export const testSinkPage = pageOf(testSink).meta({
  id: "TestSinkPage",
  description: "One page of test sinks.",
});
export const testSinkQuery = z.strictObject({ ...pageQuery });

export const testSinkRequest = z
  .object({
    number: z.int().meta({ description: "Counts the sink's requests from 1. Send the last one as `after`." }),
    receivedAt: timestamp.meta({ description: "When it arrived." }),
    headers: z.record(z.string(), z.string()).meta({ description: "Its headers." }),
    body: z.string().nullable().meta({
      description: "Its body, if it is UTF-8 text of at most 64 KiB. Otherwise null: see `bodyBase64`.",
    }),
    bodyBase64: z.string().meta({ description: "The raw bytes of its body, in base64." }),
    verifiedByEndpointId: idSchema("we")
      .nullable()
      .meta({ description: "The endpoint whose secret verified `X-Service-Signature`." }),
    verifiedBySecret: secretUsed.nullable().meta({
      description: "The newest of that endpoint's secrets that verified it, as they were when it arrived.",
    }),
    respondedStatus: z.int().meta({ description: "The status of the sink's answer; 0 if it sent none." }),
    answer: shownAnswer.nullable().meta({ description: "The answer of the script. Null: not recorded." }),
  })
  .meta({ id: "TestSinkRequest", description: "A request that a test sink received." });
export type TestSinkRequest = z.infer<typeof testSinkRequest>;
export const testSinkRequestPage = pageOf(testSinkRequest).meta({
  id: "TestSinkRequestPage",
  description: "One page of received requests.",
});

const maxWaitSeconds = 10;
export const testSinkRequestQuery = z.strictObject({
  ...pageQuery,
  after: z.preprocess(
    digitsAsNumber,
    z
      .int32()
      .min(0)
      .optional()
      .meta({
        description: "Only requests after this `number`, oldest first. 0: from the first one on.",
        examples: [0],
      }),
  ),
  wait: z.preprocess(
    digitsAsNumber,
    z
      .int()
      .min(0)
      .max(maxWaitSeconds)
      .optional()
      .meta({
        description: "How many seconds to wait for a request if the page would be empty, at most 10.",
        examples: [10],
      }),
  ),
});
export type TestSinkRequestQuery = z.infer<typeof testSinkRequestQuery>;
