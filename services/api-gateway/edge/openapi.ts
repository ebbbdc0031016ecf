import { Injectable } from "@nestjs/common";
import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from "@nestjs/swagger";
import { z } from "zod";
import { problem } from "../../../contracts/http/problem.ts";

const intro = [
  "Money moves through one object, the payment order, over ACH, Same-Day ACH, RTP, wire, book transfer and USDC.",
  "Every movement is balanced entries in an append-only ledger, and every status change a signed webhook.",
  "All money is integer cents.",
].join(" ");

type JsonSchema = Record<string, unknown>;

/**
 * A zod schema as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. Schemas that carry an id become components
 * and are pointed to.
 */
export function schemaToOpenApi(schema: z.ZodType, io: "input" | "output"): { schema: JsonSchema; components: Record<string, JsonSchema> } {
  const { $schema: _draft, $defs = {}, ...own } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    // An id is checked by code (its prefix and its characters); what a client sends is text.
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "custom") jsonSchema.type = "string";
    },
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
  const name = schema.meta()?.id;
  if (name === undefined) return { schema: own, components: $defs };
  const { id: _id, ...component } = own;
  return { schema: { $ref: `#/components/schemas/${name}` }, components: { ...$defs, [name]: component } };
}

/** The OpenAPI 3.1 document, from the same schemas that validate. Written when it is first asked for. */
@Injectable()
export class OpenApiDocument {
  #app: NestFastifyApplication | undefined;
  #document: OpenAPIObject | undefined;

  /** Says which application's routes it describes. */
  describe(app: NestFastifyApplication): void {
    this.#app = app;
  }

  get(): OpenAPIObject {
    if (this.#app === undefined) throw new Error("the document was asked for before the edge was prepared");
    this.#document ??= write(this.#app);
    return this.#document;
  }
}

function write(app: NestFastifyApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setOpenAPIVersion("3.1.0")
    .setTitle("Quittance")
    .setDescription(intro)
    .setVersion("v1")
    .addServer("/")
    .addApiKey({ type: "apiKey", in: "header", name: "X-API-Key" }, "ApiKey")
    .build();
  const document = SwaggerModule.createDocument(app, about, {
    standardSchemaConverter: (schema, { schemaType }) => schemaToOpenApi(schema as z.ZodType, schemaType),
  });
  // Health and metrics are for operators, and stand on no tenant's address.
  for (const path of Object.keys(document.paths)) if (!path.startsWith("/v1/")) delete document.paths[path];
  const described = schemaToOpenApi(problem, "output");
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...(described.components as object) },
  };
  return document;
}
