import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import type { RailsConfig } from "./config.ts";
import { AdvanceClockHandler } from "./clock/advance-clock.handler.ts";
import { AdvanceClocks } from "./clock/advance-clocks.worker.ts";
import { ClockFollowers } from "./clock/clock-followers.ts";
import { GetDigest } from "./digest/get-digest.handler.ts";
import { SetClock } from "./clock/set-clock.handler.ts";
import { RouteInstructions } from "./instructions/route-instructions.consumer.ts";
import { EndOutages } from "./injections/end-outages.worker.ts";
import { FaultsByRule } from "./injections/faults-by-rule.ts";
import { ManageRules } from "./injections/manage-rules.handler.ts";
import { QuerySimulation } from "./injections/query-simulation.handler.ts";
import { SimulateInstructionHandler } from "./injections/simulate-instruction.handler.ts";
import { IssueDueStatements } from "./statements/issue-due-statements.worker.ts";
import { IssueStatementHandler } from "./statements/issue-statement.handler.ts";
import { SimulateInboundHandler } from "./injections/simulate-inbound.handler.ts";
import { FaultRules } from "./instructions/fault-rules.ts";
import { RailAdapters } from "./instructions/rail-adapter.ts";
import { RecheckPayments } from "./rechecks/recheck-payments.worker.ts";
import { RailOutages } from "./instructions/rail-outages.ts";
import { RunDueSteps } from "./instructions/run-due-steps.worker.ts";
import { SimulatedRail } from "./instructions/simulated-rail.ts";
import { InjectStatementErrors } from "./injections/inject-statement-errors.handler.ts";

@Module({})
export class RailsSimulatorModule {
  static with(config: RailsConfig): DynamicModule {
    return {
      module: RailsSimulatorModule,
      imports: [PlatformModule.forService({ service: "rails", config })],
      controllers: [
        RouteInstructions,
        SimulateInstructionHandler,
        SimulateInboundHandler,
        ManageRules,
        QuerySimulation,
        IssueStatementHandler,
        InjectStatementErrors,
        SetClock,
        GetDigest,
        AdvanceClockHandler,
      ],
      providers: [
        { provide: FaultRules, useClass: FaultsByRule },
        SimulatedRail,
        RailOutages,
        EndOutages,
        RecheckPayments,
        RunDueSteps,
        IssueDueStatements,
        ClockFollowers,
        AdvanceClocks,
        // A Live adapter is registered here when there is one.
        {
          provide: RailAdapters,
          useFactory: (test: SimulatedRail) => new RailAdapters({ Test: test }),
          inject: [SimulatedRail],
        },
      ],
    };
  }
}
