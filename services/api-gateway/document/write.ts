import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import { type OpenAPIObject, SwaggerModule } from "@nestjs/swagger";
import type { z } from "zod";
import { problem } from "../../../contracts/http/problem.ts";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import { aboutOf, securitySchemes, tagDescriptions } from "./about.ts";
import { descriptions } from "./descriptions.ts";
import { eventsOf } from "./events.ts";
import { exemplifyAnswer, exemplifyBody, type MediaType, type Translate } from "./examples.ts";
import { describeSchema, type JsonSchema } from "./json-schema.ts";
import { problemExamples } from "./problem-examples.ts";

interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema?: JsonSchema & { description?: string };
}
interface OperationObject {
  operationId: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, MediaType> }>;
}
type Paths = Record<string, Record<string, OperationObject>>;

interface DocumentOptions {
  /** What the version makes of an example that v1 would show. */
  readonly translate?: Translate;
  /** By the operation's id. */
  readonly isDeprecated?: (operationId: string) => boolean;
}

/**
 * The OpenAPI 3.1 document of one version of an application's routes, from the same schemas that validate. The order
 * of everything in it is settled, so that two documents can be compared as text.
 *
 */
export function writeDocument(
  app: NestFastifyApplication,
  version: ApiVersion,
  { translate = (value) => value, isDeprecated = () => false }: DocumentOptions = {},
): OpenAPIObject {
  const { openapi, info, ...about } = aboutOf(version);
  const routes = SwaggerModule.createDocument(
    app,
    { openapi, info },
    { standardSchemaConverter: (schema, { schemaType }) => describeSchema(schema as z.ZodType, schemaType) },
  );
  const paths = pathsOf(routes.paths as unknown as Paths, version);
  const events = eventsOf(version);
  const all = {
    ...(routes.components?.schemas as Record<string, JsonSchema>),
    ...events.schemas,
    ...describeSchema(problem, "output").components,
  };
  const operations = [...Object.values(paths), ...Object.values(events.webhooks)].flatMap((each) =>
    Object.values(each as Record<string, OperationObject>),
  );
  for (const operation of operations) {
    finish(operation, all, translate);
    if (isDeprecated(operation.operationId)) operation.deprecated = true;
  }
  const document = {
    openapi,
    info,
    ...about,
    tags: tagsOf(operations),
    paths,
    webhooks: events.webhooks,
    components: { schemas: {}, examples: {}, securitySchemes },
  };
  Object.assign(document.components, {
    schemas: onlyUsed(all, document),
    examples: onlyUsed(problemExamples(), document),
  });
  return withoutVersionInNames(document) as OpenAPIObject;
}

/** Health and metrics are for operators, and the other versions have documents of their own. */
function pathsOf(paths: Paths, version: ApiVersion): Paths {
  const methods = ["get", "post", "put", "patch", "delete"];
  const own = Object.entries(paths).filter(([path]) => path.startsWith(`/${version}/`));
  return Object.fromEntries(
    own
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, item]) => [
        path,
        Object.fromEntries(
          methods.flatMap((method) => (item[method] === undefined ? [] : [[method, item[method]]])),
        ),
      ]),
  );
}

function finish(operation: OperationObject, schemas: Record<string, JsonSchema>, translate: Translate): void {
  const said = [descriptions[operation.operationId], operation.description];
  operation.description = said.filter((text) => text !== undefined).join("\n\n");
  // Said outright: without the member an operation would inherit whatever the document says of all.
  operation.security ??= [];
  for (const parameter of operation.parameters ?? []) {
    const { description, ...schema } = parameter.schema ?? {};
    if (description !== undefined) Object.assign(parameter, { description, schema });
    if (parameter.in === "query") parameter.description ??= `Only those with this \`${parameter.name}\`.`;
    // Pairs are sent as `name[key]=value`.
    if ("type" in schema && schema.type === "object")
      Object.assign(parameter, { style: "deepObject", explode: true });
  }
  const body = operation.requestBody?.content["application/json"];
  if (operation.requestBody !== undefined && body !== undefined) {
    freeFromBody(operation.requestBody, schemas);
    exemplifyBody(body, translate);
  }
  for (const { content } of Object.values(operation.responses)) {
    const answer = content?.["application/json"];
    if (answer !== undefined) exemplifyAnswer(answer, operation.operationId, schemas, translate);
  }
}

/** A body without a required member may be left out altogether: it is read as `{}`. */
function freeFromBody(
  body: { required?: boolean; content: Record<string, MediaType> },
  schemas: Record<string, JsonSchema>,
): void {
  const reference = body.content["application/json"]?.schema?.["$ref"] as string | undefined;
  const { required = [] } = (schemas[reference?.split("/").at(-1) ?? ""] ?? {}) as { required?: string[] };
  body.required = required.length > 0;
}

function tagsOf(operations: readonly OperationObject[]) {
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  const known = Object.keys(tagDescriptions).filter((name) => used.has(name));
  // A tag that nobody described comes last, and a test names it.
  const order = [...known, ...[...used].filter((name) => !(name in tagDescriptions))];
  return order.map((name) => ({ name, description: tagDescriptions[name] }));
}

/** The components that something points to, also by way of one another, by name. */
function onlyUsed<T>(components: Readonly<Record<string, T>>, document: object): Record<string, T> {
  const used = new Set<string>();
  const follow = (text: string): void => {
    for (const [, name = ""] of text.matchAll(/"#\/components\/\w+\/([^"]+)"/g)) {
      if (used.has(name) || !(name in components)) continue;
      used.add(name);
      follow(JSON.stringify(components[name]));
    }
  };
  follow(JSON.stringify(document));
  return Object.fromEntries([...used].sort().map((name) => [name, components[name] as T]));
}

/** Schemas of two versions live in one process, so a later one's carry it in their ids; in its document they don't. */
function withoutVersionInNames(document: object): unknown {
  return JSON.parse(
    JSON.stringify(document).replaceAll(/("(?:#\/components\/schemas\/)?[A-Z]\w*?)V\d+"/g, '$1"'),
  );
}
