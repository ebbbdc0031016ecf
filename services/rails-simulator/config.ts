import type { z } from "zod";
import { platformConfig, encryptionConfig } from "../platform/process/config.ts";

/** The adapter decrypts account numbers, so it needs their keys. */
export const railsConfig = platformConfig.extend(encryptionConfig.shape);
export type RailsConfig = z.output<typeof railsConfig>;
