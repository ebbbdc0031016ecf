import { z } from "zod";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

export const ledgerConfig = platformConfig.extend({
  ...encryptionConfig.shape,
  /**
   * Base64 of 32 bytes, by which virtual account numbers are found and cursors of statements are signed. The same in
   * every instance; must never change.
   */
  NUMBER_LOOKUP_KEY: z
    .base64()
    .refine((text) => Buffer.from(text, "base64").length === 32, "must be 32 bytes in base64"),
  /** The share of the time in which this instance's auditor works, its waits for Postgres included. Else it pauses. */
  AUDIT_SHARE: z.coerce.number().gt(0).max(1).default(0.05),
  /** How often the auditor verifies a whole book from its first journal. */
  AUDIT_PASS_HOURS: z.coerce.number().min(0).default(24),
  /** How often, at most, the ledger publishes a book's newest verified checkpoint. */
  CHECKPOINT_MINUTES: z.coerce.number().min(0).default(15),
});
export type LedgerConfig = z.output<typeof ledgerConfig>;
export const CONFIG = Symbol("CONFIG");
