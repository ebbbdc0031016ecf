import { platformConfig } from "../platform/process/config.ts";

/** rails-simulator needs nothing beyond what every service is told. */
export const railsConfig = platformConfig;
