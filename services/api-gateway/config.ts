import { z } from "zod";
import { apiVersion, currentVersion } from "../../contracts/http/versions.ts";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

const deprecation = z.strictObject({
  since: z.iso.date(),
  sunset: z.iso.date().optional(),
  guide: z.url(),
});
export type Deprecation = z.output<typeof deprecation>;

export const gatewayConfig = z.object({
  ...platformConfig.shape,
  ...encryptionConfig.shape,
  /** Tenants reach PORT: what operators ask stands elsewhere, always. */
  OPERATIONS_PORT: z.coerce.number().int().min(0).max(65_535),
  /** Base64 of 32 bytes, the same in every instance and for ever: Idempotency-Keys are bound to bodies with it. */
  FINGERPRINT_KEY: z
    .base64()
    .refine((text) => Buffer.from(text, "base64").length === 32, "is base64 of 32 bytes"),
  /** Where `docs/errors.md` is served; a code stands behind it. */
  DOCS_BASE_URL: z.url().endsWith("/").default("https://docs.quittance.example/errors/"),
  /** Addresses and CIDR blocks of our own proxies, comma-separated: only they are believed about X-Forwarded-For. */
  TRUSTED_PROXIES: z.string().default(""),
  /** What one book may spend per second on this instance (a list costs five, all else one); 0 limits nothing. */
  RATE_LIMIT_PER_SECOND: z.coerce.number().int().min(0).default(1_000),
  /** What it may spend in one second at most, with the reserve that fills up again in ten. */
  RATE_LIMIT_BURST: z.coerce.number().int().min(0).default(2_000),
  /** API keys that don't work, per address and minute, before the answer is 429; 0 limits nothing. */
  FAILED_KEYS_PER_MINUTE: z.coerce.number().int().min(0).default(60),
  /** The versions of the API that are served, comma-separated; each stands beside the others. */
  API_VERSIONS: z
    .string()
    .default(currentVersion)
    .transform((text) => text.split(",").map((name) => name.trim()))
    .pipe(z.array(apiVersion).min(1)),
  /**
   * JSON: a version (`v1`) or an operation's id, and since when it is deprecated, until when it works, and where the
   * migration guide is.
   */
  DEPRECATIONS: z
    .string()
    .default("{}")
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "is JSON" });
        return z.NEVER;
      }
    })
    .pipe(z.record(z.string(), deprecation)),
});
export type GatewayConfig = z.output<typeof gatewayConfig>;

/** Injection token of the configuration. */
export const GATEWAY_CONFIG = Symbol("GATEWAY_CONFIG");
