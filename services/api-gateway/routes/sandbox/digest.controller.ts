import { Controller, Get, Inject } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import { type SimulationDigest, simulationDigest } from "../../../../contracts/http/sandbox/digest.ts";
import { GetSimulationDigest } from "../../../../contracts/messages/digests.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";

/** What has happened in a Test book, as one digest. The route sends a request to rails. */
@ApiTags("Simulations")
@Controller("v1/simulations/digest")
export class DigestController {
  readonly #services: ServiceClient;

  constructor(@Inject(ServiceClient) services: ServiceClient) {
    this.#services = services;
  }

  @Get()
  @Operation({
    id: "getSimulationDigest",
    summary: "Read the digest of a simulation",
    access: "simulate",
    testKeysOnly: true,
    readsWholeBook: true,
    answers: { status: 200, schema: simulationDigest, as: "The digest" },
  })
  read(@Http() http: HttpContext): Promise<SimulationDigest> {
    return this.#services.read(GetSimulationDigest, http, {});
  }
}
