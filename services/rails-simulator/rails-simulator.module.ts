import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import type { RailsConfig } from "./config.ts";
import { AcceptInstruction } from "./instructions/accept-instruction.consumer.ts";
import { InjectFault } from "./injections/simulate-instruction.handler.ts";
import { IssueDueStatements } from "./statements/issue-due-statements.worker.ts";
import { IssueStatement } from "./statements/issue-statement.handler.ts";
import { ReceiveInbound } from "./injections/simulate-inbound.handler.ts";
import { Rails } from "./instructions/rail-adapter.ts";
import { RunDueSteps } from "./instructions/run-due-steps.worker.ts";
import { SimulatedRail } from "./instructions/simulated-rail.ts";
import { SpoilStatements } from "./injections/inject-statement-errors.handler.ts";

@Module({})
export class RailsSimulatorModule {
  static with(config: RailsConfig): DynamicModule {
    return {
      module: RailsSimulatorModule,
      imports: [PlatformModule.forService({ service: "rails", config })],
      controllers: [AcceptInstruction, InjectFault, ReceiveInbound, IssueStatement, SpoilStatements],
      providers: [
        SimulatedRail,
        RunDueSteps,
        IssueDueStatements,
        // No Live adapter exists yet; it takes its place here.
        {
          provide: Rails,
          useFactory: (test: SimulatedRail) => new Rails({ Test: test }),
          inject: [SimulatedRail],
        },
      ],
    };
  }
}
