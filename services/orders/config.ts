import { z } from "zod";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

export const config = platformConfig.extend({
  ...encryptionConfig.shape,
  /**
   * The clock of every Test book. Instant: rail windows are always open and an ACH order completes at once. Real: as in
   * New York.
   */
  SANDBOX_CLOCK: z.enum(["Instant", "Real"]).default("Instant"),
  /** The completion delay: how many banking days a settled ACH order waits for returns. */
  COMPLETES_AFTER_BANKING_DAYS: z.coerce.number().int().min(0).max(5).default(2),
  /**
   * Stores the whole answer to each create for repeats of its Idempotency-Key. Set it while instances of the version
   * before run beside this one, or may again: they can't complete an answer from the order's rows.
   */
  STORE_WHOLE_ANSWERS: z.stringbool().default(false),
  /** The share of completed orders that are logged at their end. An order that ends otherwise is always logged. */
  COMPLETED_ORDERS_LOGGED: z.coerce.number().min(0).max(1).default(0.1),
});
export type OrdersConfig = z.output<typeof config>;
export const CONFIG = Symbol("CONFIG");
