import { z } from "zod";

/** The environment variables of every service. */
export const platformConfig = z.object({
  DATABASE_URL: z.string().startsWith("postgres"),
  DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(10),
  NATS_URL: z.string().min(1),
  NATS_USER: z.string().min(1),
  NATS_PASSWORD: z.string().min(1),
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535),
  /** Serves health and metrics on a port of their own instead of PORT. For a service whose PORT tenants reach. */
  OPERATIONS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  OPERATIONS_HOST: z.string().default("127.0.0.1"),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info"),
  /** How many partitions the subjects have. All messages about one book use the same partition. */
  PARTITIONS: z.coerce.number().int().min(1).max(64).default(1),
  /**
   * The time from the start of a consumer's batch to the next, in milliseconds, under a steady load. A longer one makes
   * larger batches, which cost less CPU, and adds up to as much to each of the five steps of an order.
   */
  BATCH_INTERVAL_MS: z.coerce.number().int().min(0).max(1_000).default(40),
  /** How many requests a book may have under way on this instance; 0 means no limit. */
  REQUESTS_UNDER_WAY: z.coerce.number().int().min(0).default(256),
});

/** For a service that encrypts or decrypts secrets; the others get no key. */
export const encryptionConfig = z.object({
  /** `keyId:base64 of 32 bytes`, comma-separated: the first encrypts, all of them decrypt. */
  ENCRYPTION_KEYS: z.string().min(1),
});

export type PlatformConfig = z.output<typeof platformConfig>;

/** Variables that were renamed, by their current name. */
const oldNames: Readonly<Record<string, string>> = { ENCRYPTION_KEYS: "SEAL_KEYS" };

/**
 * Reads the environment once, at start. An empty variable counts as absent: read as a number it would be 0, which
 * switches some limits off. Throws an error that names every invalid variable and shows no value.
 */
export function readConfig<S extends z.ZodType>(
  schema: S,
  env: NodeJS.ProcessEnv = process.env,
): z.output<S> {
  const parsed = schema.safeParse(
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== "")),
  );
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => {
    const name = issue.path.join(".");
    const oldName = oldNames[name];
    const isRenamed = oldName !== undefined && env[name] === undefined && env[oldName] !== undefined;
    return isRenamed ? `${oldName} is now called ${name}` : `${name}: ${issue.message}`;
  });
  throw new Error(`invalid environment: ${errors.join("; ")}`);
}
