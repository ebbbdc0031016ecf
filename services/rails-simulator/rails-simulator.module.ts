import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import type { RailsConfig } from "./config.ts";
import { AcceptInstruction } from "./accept-instruction.ts";
import { InjectFault } from "./inject-fault.ts";
import { IssueDueStatements } from "./issue-due-statements.ts";
import { IssueStatement } from "./issue-statement.ts";
import { ReceiveInbound } from "./receive-inbound.ts";
import { Rails } from "./rail-adapter.ts";
import { RunDueSteps } from "./run-due-steps.ts";
import { SimulatedRail } from "./simulated-rail.ts";
import { SpoilStatements } from "./spoil-statements.ts";

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
