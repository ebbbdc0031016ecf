import { z } from "zod";
import { idSchema } from "../../contracts/ids/ids.ts";
import { apiVersion, currentVersion } from "../../contracts/http/versions.ts";
import type { SessionSettings } from "./auth/caller-of-session.ts";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

const deprecation = z.strictObject({
  since: z.iso.date(),
  sunset: z.iso.date().optional(),
  guide: z.url(),
});
export type Deprecation = z.output<typeof deprecation>;

const identityProvider = z.strictObject({
  /** What the sign-in page calls it. */
  name: z.string().min(1),
  /** Its issuer identifier. Only a provider on this machine may be without TLS. */
  issuer: z.url({ protocol: /^https?$/ }).refine((text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === "https:" || hostname === "127.0.0.1" || hostname === "localhost";
  }, "must be an https URL"),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
});

/** Text of a variable that holds JSON. */
const jsonText = z
  .string()
  .default("{}")
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "is JSON" });
      return z.NEVER;
    }
  });

export const gatewayConfig = z.object({
  ...platformConfig.shape,
  ...encryptionConfig.shape,
  /** Required here, because tenants reach PORT: health and metrics must not be on it. */
  OPERATIONS_PORT: z.coerce.number().int().min(0).max(65_535),
  /** Base64 of 32 bytes that binds Idempotency-Keys to bodies: the same in every instance, and never changed. */
  FINGERPRINT_KEY: z
    .base64()
    .refine((text) => Buffer.from(text, "base64").length === 32, "must be 32 bytes in base64"),
  /** This service's `/errors/` as tenants reach it; with an error code appended it is the `type` of a problem. */
  DOCS_BASE_URL: z.url().endsWith("/").default("https://docs.quittance.example/errors/"),
  /** Addresses and CIDR blocks of our own proxies, comma-separated: only their X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: z.string().default(""),
  /**
   * How much a book may spend per second on this instance (a list costs five, a digest fifty, others one, and a body
   * one for each 2 KiB); 0 means no limit.
   */
  RATE_LIMIT_PER_SECOND: z.coerce.number().int().min(0).default(100),
  /** How much it may spend in a single second, from a reserve that refills in ten seconds. */
  RATE_LIMIT_BURST: z.coerce.number().int().min(0).default(200),
  /**
   * The cost of the requests that the API keys of a book, or its people, may have under way on this instance (digest
   * 50, list 5, wait 2, others 1); 0: any.
   */
  REQUESTS_UNDER_WAY: z.coerce.number().int().min(0).default(64),
  /** Milliseconds in which a request must arrive whole: from its first byte, and on a new connection from its start. */
  REQUEST_TIMEOUT_MS: z.coerce.number().int().min(100).max(300_000).default(30_000),
  /** Invalid API keys per address and minute before the answer is 429; 0 means no limit. */
  FAILED_KEYS_PER_MINUTE: z.coerce.number().int().min(0).default(60),
  /** How long a session of a person lasts at most, in hours, however much it is used. */
  SESSION_MAX_HOURS: z.coerce.number().min(0.01).max(168).default(12),
  /** How long a session may rest before it ends, in minutes. */
  SESSION_IDLE_MINUTES: z.coerce.number().int().min(1).max(1_440).default(30),
  /** The origin of the dashboard's pages, such as `https://pay.example.com`. Default: the host that a request names. */
  DASHBOARD_ORIGIN: z
    .string()
    .refine(
      (text) => text === "" || URL.parse(text)?.origin === text,
      "must be an origin, such as https://pay.example.com",
    )
    .default(""),
  /** Whether demo people sign in without a password, in Test and on a loopback address: for a sandbox alone. */
  DEMO_SIGN_IN: z.enum(["true", "false"]).default("false"),
  /** The versions of the API that are served, comma-separated. */
  API_VERSIONS: z
    .string()
    .default(currentVersion)
    .transform((text) => text.split(",").map((name) => name.trim()))
    .pipe(z.array(apiVersion).min(1)),
  /**
   * JSON by version (`v1`) or operation id: since when it is deprecated, until when it works, and the migration guide.
   */
  DEPRECATIONS: jsonText.pipe(z.record(z.string(), deprecation)),
  /** JSON by tenant id: the OpenID provider at which the tenant's people sign in. */
  IDENTITY_PROVIDERS: jsonText.pipe(z.record(idSchema("ten"), identityProvider)),
});
/** The same with the rule across variables: a provider sends people back to an address that it knows beforehand. */
export const gatewaySettings = gatewayConfig.refine(
  ({ IDENTITY_PROVIDERS, DASHBOARD_ORIGIN }) =>
    Object.keys(IDENTITY_PROVIDERS).length === 0 || DASHBOARD_ORIGIN !== "",
  { path: ["DASHBOARD_ORIGIN"], message: "is required with IDENTITY_PROVIDERS" },
);
export type GatewayConfig = z.output<typeof gatewayConfig>;

/** Injection token of the configuration. */
export const GATEWAY_CONFIG = Symbol("GATEWAY_CONFIG");

/** What decides whether a session's cookie counts. */
export function sessionSettingsOf({
  SESSION_IDLE_MINUTES,
  DASHBOARD_ORIGIN,
}: GatewayConfig): SessionSettings {
  return {
    idleMinutes: SESSION_IDLE_MINUTES,
    ownOrigin: DASHBOARD_ORIGIN === "" ? undefined : DASHBOARD_ORIGIN,
  };
}
