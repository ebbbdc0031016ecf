import { z } from "zod";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";
import { defaultSchedule } from "./deliveries/domain/retry-schedule.ts";
import { minEventsKeptDays } from "./events/store/dropped-changes.ts";
import { allowedRanges } from "./endpoints/domain/safe-target.ts";

const list = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .pipe(z.array(z.string()))
  .transform((items) => items.filter((item) => item !== ""));

const keptDays = z.coerce.number().int().min(minEventsKeptDays).max(36_500);

export const webhooksConfig = z
  .object({
    ...platformConfig.shape,
    /** These keys encrypt signing secrets. They must differ from the keys that encrypt account numbers. */
    ...encryptionConfig.shape,
    /** HTTP requests until a delivery is dead-lettered. */
    WEBHOOK_MAX_ATTEMPTS: z.coerce.number().int().min(1).max(20).default(defaultSchedule.maxAttempts),
    /** The pauses between them, in ms, comma-separated; the last one repeats. */
    WEBHOOK_BACKOFF_MS: list
      .pipe(z.array(z.string().transform(Number).pipe(z.int().min(0))).min(1))
      .default([...defaultSchedule.backoffMs]),
    /** How long one HTTP request to a receiver may take. */
    WEBHOOK_TIMEOUT_MS: z.coerce.number().int().min(100).max(30_000).default(15_000),
    /** How long an instance leases a delivery: at least two time-outs. */
    WEBHOOK_LEASE_MS: z.coerce.number().int().min(1_000).default(40_000),
    /** Concurrent requests of one instance to one endpoint. */
    WEBHOOK_CONCURRENCY_PER_ENDPOINT: z.coerce.number().int().min(1).max(256).default(32),
    /** The most endpoints of one book: each event is stored and sent once for each of them. */
    WEBHOOK_ENDPOINTS_PER_BOOK: z.coerce.number().int().min(1).max(1_000).default(100),
    /** How long Delivered and Cancelled deliveries are kept, with their attempts. */
    WEBHOOK_DELIVERED_KEPT_DAYS: keptDays.default(30),
    /** How long events are kept. One with a delivery is kept as long as that, too. */
    WEBHOOK_EVENTS_KEPT_DAYS: keptDays.default(90),
    /** How long DeadLettered deliveries are kept, with their attempts and the bytes that were sent. */
    WEBHOOK_DEAD_LETTERS_KEPT_DAYS: keptDays.default(180),
    /** Ranges that are not public and still allowed, e.g. `127.0.0.0/8,::1/128` in a sandbox. */
    ALLOWED_TARGET_CIDRS: list.pipe(z.array(z.string())).default([]).transform(allowedRanges),
    /** The base of test sink URLs, if a proxy is in front of this service. Default: this service's own port. */
    SINK_BASE_URL: z.url().optional(),
  })
  .refine((config) => config.WEBHOOK_LEASE_MS >= 2 * config.WEBHOOK_TIMEOUT_MS, {
    path: ["WEBHOOK_LEASE_MS"],
    message:
      "must be at least twice WEBHOOK_TIMEOUT_MS, or a delivery is sent again while the first request waits for a slow response",
  });
/** Injection token of the configuration. */
export const CONFIG = Symbol("CONFIG");

export type WebhooksConfig = z.output<typeof webhooksConfig>;

export function sinkBaseUrl(config: Pick<WebhooksConfig, "SINK_BASE_URL" | "PORT">): string {
  return (config.SINK_BASE_URL ?? `http://127.0.0.1:${String(config.PORT)}`).replace(/\/$/, "");
}
