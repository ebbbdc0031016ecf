import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { z } from "zod";
import {
  injection,
  injectionCreate,
  type InjectionCreate,
  injectionPage,
  injectionQuery,
  type InjectionView,
} from "../../../../contracts/http/sandbox/injections.ts";
import type { Page } from "../../../../contracts/http/shapes.ts";
import {
  CreateInjection,
  EndInjection,
  GetInjection,
  ListInjections,
} from "../../../../contracts/messages/injections.ts";
import { SecretCipher } from "../../../platform/encryption/secret-cipher.ts";
import { type HttpContext, Http } from "../../operation/http-context.ts";
import { Operation } from "../../operation/operation.ts";
import { ServiceClient } from "../../upstream/service-client.ts";
import { withEncryptedNumber } from "./encrypted-number.ts";

/** Rules that a tester makes for what rails do. Each route sends a request to rails. */
@ApiTags("Simulations")
@Controller("v1/simulations/injections")
export class InjectionsController {
  readonly #services: ServiceClient;
  readonly #cipher: SecretCipher;

  constructor(@Inject(ServiceClient) services: ServiceClient, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#services = services;
    this.#cipher = cipher;
  }

  @Post()
  @Operation({
    id: "createInjection",
    summary: "Create an injection rule",
    access: "simulate",
    takes: ["body"],
    writes: true,
    testKeysOnly: true,
    answers: { status: 201, schema: injection, as: "The rule, in force" },
    refusals: ["not_found", "simulation_not_applicable", "invalid_routing_number"],
  })
  async create(
    @Body({ schema: injectionCreate }) { match, correctedData, ...rule }: InjectionCreate,
    @Http() http: HttpContext,
  ): Promise<InjectionView> {
    const { value } = await this.#services.write(CreateInjection, http, {
      ...rule,
      match: withEncryptedNumber(this.#cipher, match),
      ...(correctedData === undefined
        ? {}
        : { correctedData: withEncryptedNumber(this.#cipher, correctedData) }),
    });
    http.setLocation(`/v1/simulations/injections/${value.id}`);
    return value;
  }

  @Get()
  @Operation({
    id: "listInjections",
    summary: "List injection rules",
    access: "simulate",
    takes: ["query"],
    testKeysOnly: true,
    answers: { status: 200, schema: injectionPage, as: "A page of rules" },
  })
  async list(
    @Query({ schema: injectionQuery }) query: z.infer<typeof injectionQuery>,
    @Http() http: HttpContext,
  ): Promise<Page<InjectionView>> {
    const page = await this.#services.read(ListInjections, http, query);
    http.linkTo(page);
    return page;
  }

  @Get(":id")
  @Operation({
    id: "getInjection",
    summary: "Read an injection rule",
    access: "simulate",
    path: { id: "inj" },
    testKeysOnly: true,
    answers: { status: 200, schema: injection, as: "The rule" },
  })
  read(@Param("id") id: string, @Http() http: HttpContext): Promise<InjectionView> {
    return this.#services.read(GetInjection, http, { id });
  }

  @Delete(":id")
  @Operation({
    id: "endInjection",
    summary: "End an injection rule",
    access: "simulate",
    path: { id: "inj" },
    writes: true,
    testKeysOnly: true,
    answers: { status: 204, as: "The rule has ended" },
    refusals: ["invalid_state_transition"],
  })
  async end(@Param("id") id: string, @Http() http: HttpContext): Promise<void> {
    await this.#services.write(EndInjection, http, { id });
  }
}
