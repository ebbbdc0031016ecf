import { Body, Controller, Inject, Param, Post } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import {
  simulationAction,
  simulationActions,
  simulationBody,
  simulationResult,
} from "../../../contracts/http/simulations.ts";
import { SimulateInstruction } from "../../../contracts/messages/rails.ts";
import { type Exchange, Http } from "../edge/exchange.ts";
import { Operation } from "../edge/operation.ts";
import { Owners } from "../edge/owners.ts";

/** What QA lets a rail do to an order: HTTP in, a message to rails out. */
@ApiTags("Simulations")
@Controller("v1/simulations")
export class SimulationsController {
  readonly #owners: Owners;

  constructor(@Inject(Owners) owners: Owners) {
    this.#owners = owners;
  }

  @Post("payment-orders/:id/:action")
  @Operation({
    id: "simulatePaymentOrder",
    summary:
      "Let the simulated rail do something to an order; kept until hand-off when it isn't at its rail yet",
    access: "simulate",
    path: { id: "The order's id, `po_…`", action: simulationActions },
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 200, schema: simulationResult, as: "What the rail made of it" },
    refusals: ["simulation_not_applicable", "route_not_found"],
  })
  async simulate(
    @Param("id") orderId: string,
    @Param("action") name: string,
    @Body({ schema: simulationBody }) body: z.infer<typeof simulationBody>,
    @Http() http: Exchange,
  ): Promise<z.infer<typeof simulationResult>> {
    const { data: action } = simulationAction.safeParse(name);
    if (action === undefined) {
      throw new Refusal("route_not_found", `A rail can do one of these: ${simulationActions.join(", ")}.`);
    }
    const { value } = await this.#owners.write(SimulateInstruction, http, { orderId, action, ...body });
    return value;
  }
}
