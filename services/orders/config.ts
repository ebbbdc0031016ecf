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
});
export type OrdersConfig = z.output<typeof config>;
export const CONFIG = Symbol("CONFIG");
