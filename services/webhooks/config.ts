import { z } from "zod";
import { platformConfig, sealConfig } from "../platform/process/config.ts";
import { allowedRanges } from "./endpoints/domain/safe-target.ts";

const list = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .pipe(z.array(z.string()))
  .transform((items) => items.filter((item) => item !== ""));

export const webhooksConfig = z
  .object({
    ...platformConfig.shape,
    /** Of signing secrets: not those that account numbers are sealed with. */
    ...sealConfig.shape,
    /** HTTP requests until a delivery is dead-lettered. */
    WEBHOOK_MAX_ATTEMPTS: z.coerce.number().int().min(1).max(20).default(3),
    /** The pauses between them, in ms, comma-separated; the last one repeats. */
    WEBHOOK_BACKOFF_MS: list
      .pipe(z.array(z.string().transform(Number).pipe(z.int().min(0))).min(1))
      .default([60_000, 300_000, 1_800_000]),
    /** How long a receiver may take for its status line. */
    WEBHOOK_TIMEOUT_MS: z.coerce.number().int().min(100).max(30_000).default(15_000),
    /** How long an instance holds a delivery that it has in hand: longer than two time-outs. */
    WEBHOOK_LEASE_MS: z.coerce.number().int().min(1_000).default(40_000),
    /** Requests under way to one endpoint at the same time. */
    WEBHOOK_CONCURRENCY_PER_ENDPOINT: z.coerce.number().int().min(1).max(256).default(32),
    /** Endpoints that a book may have: each event is rendered, kept and sent once for every one of them. */
    WEBHOOK_ENDPOINTS_PER_BOOK: z.coerce.number().int().min(1).max(1_000).default(100),
    /** Ranges that are reachable although they are not public, e.g. `127.0.0.0/8,::1/128` in a sandbox. */
    ALLOWED_TARGET_CIDRS: list.pipe(z.array(z.string())).default([]).transform(allowedRanges),
    /** What the URLs of test sinks begin with; this service's own port unless something stands before it. */
    SINK_BASE_URL: z.url().optional(),
  })
  .refine((config) => config.WEBHOOK_LEASE_MS >= 2 * config.WEBHOOK_TIMEOUT_MS, {
    path: ["WEBHOOK_LEASE_MS"],
    message:
      "must be at least twice WEBHOOK_TIMEOUT_MS, or a slow answer is sent for again while it is awaited",
  });
/** Injection token of the configuration. */
export const CONFIG = Symbol("CONFIG");

export type WebhooksConfig = z.output<typeof webhooksConfig>;

export function sinkBaseUrl(config: Pick<WebhooksConfig, "SINK_BASE_URL" | "PORT">): string {
  return (config.SINK_BASE_URL ?? `http://127.0.0.1:${String(config.PORT)}`).replace(/\/$/, "");
}
