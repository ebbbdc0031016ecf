import { readConfig } from "../platform/process/config.ts";
import { runService } from "../platform/run-service.ts";
import { webhooksConfig } from "./config.ts";
import { acceptRawBodies } from "./sinks/accept-raw-bodies.ts";
import { WebhooksModule } from "./webhooks.module.ts";

const config = readConfig(webhooksConfig);
await runService(WebhooksModule.with(config), config, "webhooks", acceptRawBodies);
