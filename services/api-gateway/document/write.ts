import type { NestFastifyApplication } from "@nestjs/platform-fastify";
import { type OpenAPIObject, SwaggerModule } from "@nestjs/swagger";
import type { z } from "zod";
import { problem } from "../../../contracts/http/problem.ts";
import type { ApiVersion } from "../../../contracts/http/versions.ts";
import { commonParts, securitySchemes, tagDescriptions } from "./texts/about.ts";
import { descriptions } from "./texts/descriptions.ts";
import { eventsOf } from "./events.ts";
import { exemplifyAnswer, exemplifyBody, type MediaType, type Translate } from "./texts/examples.ts";
import { describeSchema, type JsonSchema } from "./json-schema.ts";
import { describeParameter, type Parameter } from "./parameters.ts";
import { csvType } from "../operation/operation.ts";
import { allowNulls } from "./nullable-bodies.ts";
import { problemExamples } from "./texts/problem-examples.ts";
import { type Answer, shareComponents } from "./shared-components.ts";

interface OperationObject {
  operationId: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, Answer>;
}
type Paths = Record<string, Record<string, OperationObject>>;

interface DocumentOptions {
  /** Converts an example of v1 into this version's form. */
  readonly translate?: Translate;
  /** By the operation's id. */
  readonly isDeprecated?: (operationId: string) => boolean;
}

/**
 * The OpenAPI 3.1 document of one version of an application's routes, from the same schemas that validate. Its order
 * is deterministic, so that two documents can be compared as text.
 */
export function writeDocument(
  app: NestFastifyApplication,
  version: ApiVersion,
  { translate = (value) => value, isDeprecated = () => false }: DocumentOptions = {},
): OpenAPIObject {
  const { openapi, info, ...about } = commonParts(version);
  const routes = SwaggerModule.createDocument(
    app,
    { openapi, info },
    { standardSchemaConverter: (schema, { schemaType }) => describeSchema(schema as z.ZodType, schemaType) },
  );
  const paths = pathsOf(copyOf(routes.paths as unknown as Paths), version);
  const events = copyOf(eventsOf(version));
  const all = {
    ...(routes.components?.schemas as Record<string, JsonSchema>),
    ...events.schemas,
    ...describeSchema(problem, "output").components,
  };
  const operations = [...Object.values(paths), ...Object.values(events.webhooks)].flatMap((each) =>
    Object.values(each as Record<string, OperationObject>),
  );
  for (const { patch: _patch, ...others } of Object.values(paths)) {
    for (const { requestBody } of Object.values(others)) {
      const schema = requestBody?.content["application/json"]?.schema;
      if (schema !== undefined) allowNulls(schema, all);
    }
  }
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
    components: { schemas: {}, parameters: {}, responses: {}, examples: {}, securitySchemes },
  };
  Object.assign(document.components, shareComponents(operations));
  Object.assign(document.components, {
    schemas: onlyUsed(all, document),
    examples: onlyUsed(problemExamples(), document),
  });
  return withoutVersionInNames(document) as OpenAPIObject;
}

/** The document is changed in place below, and operations and versions share parts of it: hence a copy. */
function copyOf<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Leaves out pages for people and the other versions. */
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
  const texts = [descriptions[operation.operationId], operation.description];
  operation.description = texts.filter((text) => text !== undefined).join("\n\n");
  // Written even if empty: an operation without `security` would inherit the document's.
  operation.security ??= [];
  for (const parameter of operation.parameters ?? []) describeParameter(parameter, schemas);
  const body = operation.requestBody?.content["application/json"];
  if (operation.requestBody !== undefined && body !== undefined) {
    freeFromBody(operation.requestBody, schemas);
    exemplifyBody(body, translate);
  }
  for (const { content } of Object.values(operation.responses)) {
    const answer = content?.["application/json"];
    if (content?.[csvType] !== undefined) content[csvType] = csvAnswer;
    if (answer !== undefined) exemplifyAnswer(answer, operation.operationId, schemas, translate);
  }
}

/** The columns are in the operation's text. */
const csvAnswer: MediaType = {
  schema: { type: "string" },
  example: "effectiveDate,kind,debitCents,creditCents,balanceCents,…\r\n",
};

/** A body without required fields is optional: a missing body is read as `{}`. */
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
  // A tag without a description comes last; a test names it.
  const order = [...known, ...[...used].filter((name) => !(name in tagDescriptions))];
  return order.map((name) => ({ name, description: tagDescriptions[name] }));
}

/** The components that are referenced, directly or through others, sorted by name. */
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

/** One process has the schemas of both versions, so v2's ids contain `V2`; its document leaves that out. */
function withoutVersionInNames(document: object): unknown {
  return JSON.parse(
    JSON.stringify(document).replaceAll(/("(?:#\/components\/schemas\/)?[A-Z]\w*?)V\d+"/g, '$1"'),
  );
}
