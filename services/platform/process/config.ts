import { z } from "zod";

/** What every service is told by its environment. */
export const platformConfig = z.object({
  DATABASE_URL: z.string().startsWith("postgres"),
  DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(10),
  NATS_URL: z.string().min(1),
  NATS_USER: z.string().min(1),
  NATS_PASSWORD: z.string().min(1),
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535),
  /** Health and metrics on a port of their own; on PORT without it. For a service whose PORT others reach. */
  OPERATIONS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  OPERATIONS_HOST: z.string().default("127.0.0.1"),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info"),
  /** How many partitions the subjects have. A book stays in one. */
  PARTITIONS: z.coerce.number().int().min(1).max(64).default(1),
});
/** For a service that seals or opens secrets; the others are not given a key. */
export const encryptionConfig = z.object({
  /** `keyId:base64 of 32 bytes`, comma-separated: the first seals, all of them open. */
  ENCRYPTION_KEYS: z.string().min(1),
});

export type PlatformConfig = z.output<typeof platformConfig>;

/** Reads the environment once, at start. Throws with every fault named, and no value shown. */
export function readConfig<S extends z.ZodType>(
  schema: S,
  env: NodeJS.ProcessEnv = process.env,
): z.output<S> {
  const parsed = schema.safeParse(env);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`the environment does not fit: ${faults.join("; ")}`);
}
