import { Body, Controller, Inject, Param, Post } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import { Refusal } from "../../../../contracts/errors.ts";
import {
  inboundSimulation,
  type InboundSimulation,
  inboundSimulationResult,
} from "../../../../contracts/http/ledger/inbound-payments.ts";
import {
  simulationAction,
  simulationActions,
  simulationBody,
  simulationResult,
} from "../../../../contracts/http/sandbox/simulations.ts";
import { SimulateInbound } from "../../../../contracts/messages/inbound.ts";
import { SimulateInstruction } from "../../../../contracts/messages/rails.ts";
import { SecretCipher } from "../../../platform/encryption/secret-cipher.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import { withEncryptedNumber } from "./encrypted-number.ts";

/** Rail outcomes that a tester requests for an order. Each route sends a request to rails. */
@ApiTags("Simulations")
@Controller("v1/simulations")
export class SimulationsController {
  readonly #services: ServiceClient;
  readonly #cipher: SecretCipher;

  constructor(@Inject(ServiceClient) services: ServiceClient, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#services = services;
    this.#cipher = cipher;
  }

  @Post("inbound-payments")
  @Operation({
    id: "simulateInboundPayment",
    summary: "Simulate an inbound payment",
    access: "simulate",
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 201, schema: inboundSimulationResult, as: "The payment, as the bank booked it" },
    refusals: ["simulation_not_applicable", "direction_not_supported"],
  })
  async inbound(
    @Body({ schema: inboundSimulation }) { virtualAccountNumber, ...payment }: InboundSimulation,
    @Http() http: HttpContext,
  ): Promise<z.infer<typeof inboundSimulationResult>> {
    const accountNumber = this.#cipher.encrypt(virtualAccountNumber);
    const { value } = await this.#services.write(SimulateInbound, http, { ...payment, accountNumber });
    http.setLocation(`/v1/inbound-payments?bankReference=${encodeURIComponent(value.bankReference)}`);
    return value;
  }

  @Post("payment-orders/:id/:action")
  @Operation({
    id: "simulatePaymentOrder",
    summary: "Simulate a rail event",
    access: "simulate",
    path: { id: "po", action: simulationAction },
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 200, schema: simulationResult, as: "When it takes effect" },
    refusals: ["simulation_not_applicable", "invalid_routing_number", "route_not_found"],
  })
  async simulate(
    @Param("id") orderId: string,
    @Param("action") name: string,
    @Body({ schema: simulationBody }) { correctedData, ...body }: z.infer<typeof simulationBody>,
    @Http() http: HttpContext,
  ): Promise<z.infer<typeof simulationResult>> {
    const { data: action } = simulationAction.safeParse(name);
    if (action === undefined) {
      throw new Refusal("route_not_found", `A rail can do one of these: ${simulationActions.join(", ")}.`);
    }
    const { value } = await this.#services.write(SimulateInstruction, http, {
      ...body,
      orderId,
      action,
      ...(correctedData === undefined
        ? {}
        : { correctedData: withEncryptedNumber(this.#cipher, correctedData) }),
    });
    return value;
  }
}
