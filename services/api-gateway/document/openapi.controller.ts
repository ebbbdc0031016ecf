import { Controller, Get, Inject, Res } from "@nestjs/common";
import { ApiTags } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { OpenApiDocument } from "./openapi.ts";
import { Operation } from "../operation/operation.ts";

@ApiTags("Documents")
@Controller("v1/openapi.json")
export class OpenApiController {
  readonly #document: OpenApiDocument;

  constructor(@Inject(OpenApiDocument) document: OpenApiDocument) {
    this.#document = document;
  }

  @Get()
  @Operation({
    id: "getOpenApi",
    summary: "Read the OpenAPI document",
    access: "public",
    answers: { status: 200, schema: z.looseObject({}) },
    isDocument: true,
  })
  read(@Http() http: HttpContext, @Res() reply: FastifyReply): Promise<void> {
    return this.#document.get(http.version).send(http.request, reply);
  }
}
