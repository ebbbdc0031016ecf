import { readConfig } from "../platform/process/config.ts";
import { runService } from "../platform/run-service.ts";
import { config } from "./config.ts";
import { OrdersModule } from "./orders.module.ts";

const settings = readConfig(config);
await runService(OrdersModule.with(settings), settings, "orders");
