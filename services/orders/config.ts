import { z } from "zod";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

export const config = platformConfig.extend({
  ...encryptionConfig.shape,
  /** The sandbox's clock: Instant (windows stand open, return windows are over at once) or New York's. */
  SANDBOX_CLOCK: z.enum(["Instant", "Real"]).default("Instant"),
  /** Banking days that a settled ACH order waits for returns. */
  COMPLETES_AFTER_BANKING_DAYS: z.coerce.number().int().min(0).max(5).default(2),
});
export type OrdersConfig = z.output<typeof config>;
export const CONFIG = Symbol("CONFIG");
