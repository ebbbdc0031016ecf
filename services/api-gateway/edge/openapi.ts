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

interface Described {
  readonly schema: JsonSchema;
  readonly components: Record<string, JsonSchema>;
}

/**
 * A zod schema as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. Schemas that carry an id become components
 * and are pointed to.
 */
export function describeSchema(schema: z.ZodType, io: "input" | "output"): Described {
  const {
    $schema: _draft,
    $defs,
    ...own
  } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // An id is checked by code (its prefix and its characters); what a client sends is text.
      if (zodSchema._zod.def.type === "custom") jsonSchema.type = "string";
      // Answers may grow: a client that refused new members would break with the next release.
      if (io === "output" && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  const text = JSON.stringify({ schema: own, components: $defs ?? {} });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Described;
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
    standardSchemaConverter: (schema, { schemaType }) => describeSchema(schema as z.ZodType, schemaType),
  });
  // Health and metrics are for operators, and stand on no tenant's address.
  for (const path of Object.keys(document.paths)) if (!path.startsWith("/v1/")) delete document.paths[path];
  const schemas = { ...document.components?.schemas, ...describeSchema(problem, "output").components };
  for (const { post } of Object.values(document.paths)) {
    if (post?.requestBody !== undefined) freeFromBody(post.requestBody as RequestBody, schemas);
  }
  return { ...document, components: { ...document.components, schemas: schemas as Record<string, object> } };
}

interface RequestBody {
  required?: boolean;
  content: Record<string, { schema?: { $ref?: string } }>;
}

/** A body without a required member may be left out altogether: it is read as `{}`. */
function freeFromBody(body: RequestBody, schemas: Record<string, unknown>): void {
  const name = body.content["application/json"]?.schema?.$ref?.split("/").at(-1) ?? "";
  const { required = [] } = (schemas[name] ?? {}) as { required?: readonly string[] };
  body.required = required.length > 0;
}
