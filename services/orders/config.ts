import { z } from "zod";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

export const config = platformConfig.extend({
  ...encryptionConfig.shape,
  /**
   * True: an Idempotency-Key stores only the part of a create's answer that the order's rows don't have. Set it once
   * every instance runs this release and no older one will start again: an older instance can't complete such an
   * answer.
   */
  STORE_PARTIAL_ANSWERS: z.stringbool().default(false),
  /** The share of completed orders that are logged at their end. An order that ends otherwise is always logged. */
  COMPLETED_ORDERS_LOGGED: z.coerce.number().min(0).max(1).default(0.1),
});
export type OrdersConfig = z.output<typeof config>;
export const CONFIG = Symbol("CONFIG");
