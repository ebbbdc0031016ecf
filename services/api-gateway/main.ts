import { readConfig } from "../platform/process/config.ts";
import { runService } from "../platform/run-service.ts";
import { ApiGatewayModule } from "./api-gateway.module.ts";
import { gatewaySettings } from "./config.ts";
import { httpOptionsOf } from "./http/options.ts";
import { installHttp } from "./install.ts";

const config = readConfig(gatewaySettings);
await runService(ApiGatewayModule.with(config), config, "gateway", installHttp, httpOptionsOf(config));
