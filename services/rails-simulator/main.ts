import { readConfig } from "../platform/process/config.ts";
import { runService } from "../platform/run-service.ts";
import { railsConfig } from "./config.ts";
import { RailsSimulatorModule } from "./rails-simulator.module.ts";

const config = readConfig(railsConfig);
await runService(RailsSimulatorModule.with(config), config, "rails");
