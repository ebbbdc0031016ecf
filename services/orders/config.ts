import { z } from "zod";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

export const config = platformConfig.extend({
  ...encryptionConfig.shape,
  /**
   * Stores of a create's answer only what the order's rows don't tell. Set it once all instances run this version and
   * none of the version before will again: those can't complete such an answer for a repeat.
   */
  STORE_PARTIAL_ANSWERS: z.stringbool().default(false),
  /** The share of completed orders that are logged at their end. An order that ends otherwise is always logged. */
  COMPLETED_ORDERS_LOGGED: z.coerce.number().min(0).max(1).default(0.1),
});
export type OrdersConfig = z.output<typeof config>;
export const CONFIG = Symbol("CONFIG");
