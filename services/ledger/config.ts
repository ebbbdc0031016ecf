import { platformConfig } from "../platform/process/config.ts";

/** The ledger needs nothing beyond what every service is told. */
export const ledgerConfig = platformConfig;
