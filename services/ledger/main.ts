import { readConfig } from "../platform/process/config.ts";
import { runService } from "../platform/run-service.ts";
import { ledgerConfig } from "./config.ts";
import { LedgerModule } from "./ledger.module.ts";

const config = readConfig(ledgerConfig);
await runService(LedgerModule.with(config), config, "ledger");
