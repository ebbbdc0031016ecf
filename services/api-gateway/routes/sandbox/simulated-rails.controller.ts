import { Controller, Get, Inject, Param, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import {
  simulatedOrder,
  type SimulatedOrder,
  simulatedRails,
  type SimulatedRails,
} from "../../../../contracts/http/sandbox/simulated-rails.ts";
import {
  type SimulationLogEntry,
  simulationLogPage,
  simulationLogQuery,
} from "../../../../contracts/http/sandbox/simulation-log.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  GetSimulatedOrder,
  GetSimulatedRails,
  ListSimulationLog,
} from "../../../../contracts/messages/injections.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

/** What the simulator does, for those who test with it. Each route sends a request to rails. */
@ApiTags("Simulations")
@Controller("v1/simulations")
export class SimulatedRailsController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get("payment-orders/:id")
  @Operation({
    id: "getSimulatedPaymentOrder",
    summary: "Read what the rail does with an order",
    access: "simulate",
    path: { id: "po" },
    testKeysOnly: true,
    answers: { status: 200, schema: simulatedOrder, as: "What the simulator did and will do" },
  })
  order(@Param("id") id: string, @Http() http: HttpContext): Promise<SimulatedOrder> {
    return this.#services.read(GetSimulatedOrder, http, { id });
  }

  @Get("rails")
  @Operation({
    id: "getSimulatedRails",
    summary: "Read what the rails do",
    access: "simulate",
    testKeysOnly: true,
    answers: { status: 200, schema: simulatedRails, as: "The rails of the book" },
  })
  rails(@Http() http: HttpContext): Promise<SimulatedRails> {
    return this.#services.read(GetSimulatedRails, http, {});
  }

  @Get("log")
  @Operation({
    id: "listSimulationLog",
    summary: "List what was done to the simulation",
    access: "simulate",
    takes: ["query"],
    testKeysOnly: true,
    answers: { status: 200, schema: simulationLogPage, as: "A page of the log" },
  })
  async log(
    @Query({ schema: simulationLogQuery }) query: z.infer<typeof simulationLogQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<SimulationLogEntry>> {
    const page = await this.#services.read(ListSimulationLog, http, query);
    http.linkTo(page);
    return page;
  }
}
