/**
 * The parts of an OpenAPI document that a reader would have to guess. Pure. `make check` fails on each: write the
 * text where the schema or the operation is declared, in contracts/http or in the route's `@Operation`.
 */
import { inlineReferences } from "./inline-references.ts";

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Json }>> };
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Json }>> }>
  >;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
export interface Described {
  readonly paths: Paths;
  readonly webhooks?: Paths;
  readonly components?: { readonly schemas?: Readonly<Record<string, Json>> };
}

const maxSummaryLength = 40;

/** Each missing text, with its location. */
export function undescribed(document: Described): string[] {
  const { paths, webhooks = {}, components } = inlineReferences(document);
  const schemas = components?.schemas ?? {};
  return [
    ...Object.entries(schemas).flatMap(([name, schema]) => [
      ...lacking(schema, name, "description"),
      ...inEnum(schema, name),
      ...inside(schema, name, schemas),
    ]),
    ...Object.values({ ...paths, ...webhooks }).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => inOperation(operation, schemas)),
    ),
  ];
}

function inOperation(operation: Operation, schemas: Readonly<Record<string, Json>>): string[] {
  const {
    operationId = "an operation",
    summary = "",
    parameters = [],
    requestBody,
    responses = {},
  } = operation;
  const isTitle = /^[A-Z][^.;:,]+$/.test(summary) && summary.length <= maxSummaryLength;
  const bodies = [requestBody, ...Object.values(responses)].flatMap((body) =>
    Object.values(body?.content ?? {}).map(({ schema = {} }) => schema),
  );
  return [
    ...(isTitle
      ? []
      : [
          `${operationId}: its summary is not a title of at most ${String(maxSummaryLength)} characters; move the rest to its description`,
        ]),
    ...lacking(operation as Json, operationId, "description"),
    ...parameters.flatMap((parameter) => inParameter(parameter, operationId, schemas)),
    ...bodies.flatMap((schema) => inside(schema, operationId, schemas)),
  ];
}

function inParameter(
  parameter: Json,
  operationId: string,
  schemas: Readonly<Record<string, Json>>,
): string[] {
  const at = `${operationId}, parameter ${String(parameter["name"])}`;
  const schema = (parameter["schema"] ?? {}) as Json;
  return [
    ...lacking(parameter, at, "description"),
    ...lacking(parameter, at, "example"),
    ...unnamedEnum(schema, at),
    ...inside(schema, at, schemas),
  ];
}

/** The fields of a schema, and of the schemas written inside it. */
function inside(schema: Json, at: string, schemas: Readonly<Record<string, Json>>): string[] {
  const fields = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const parts = [
    schema["items"],
    schema["additionalProperties"],
    ...["anyOf", "oneOf", "allOf"].flatMap((choice) => (schema[choice] ?? []) as Json[]),
  ].filter((part): part is Json => typeof part === "object" && part !== null);
  return [
    ...fields.flatMap(([name, field]) => {
      const path = `${at}.${name}`;
      const component = schemas[String(field["$ref"]).split("/").at(-1) ?? ""];
      return [
        ...lacking({ ...component, ...field }, path, "description"),
        ...unnamedEnum(field, path),
        ...inside(field, path, schemas),
      ];
    }),
    ...parts.flatMap((part) => [...unnamedEnum(part, at), ...inside(part, at, schemas)]),
  ];
}

/** A component that is an enum describes each of its values. */
function inEnum(schema: Json, name: string): string[] {
  const texts = (schema["x-enumDescriptions"] ?? {}) as Json;
  return valuesOf(schema)
    .filter((value) => typeof texts[value] !== "string" || texts[value] === "")
    .map((value) => `${name}: its value ${value} lacks a description`);
}

function unnamedEnum(schema: Json, at: string): string[] {
  return valuesOf(schema).length === 0 ? [] : [`${at}: its enum is not a named component: use namedEnum`];
}

function valuesOf(schema: Json): string[] {
  const values = "const" in schema ? [schema["const"]] : ((schema["enum"] ?? []) as unknown[]);
  return values.filter((value) => typeof value === "string");
}

function lacking(thing: Json, at: string, member: "description" | "example"): string[] {
  const value = thing[member];
  return value === undefined || value === ""
    ? [`${at}: lacks ${member === "example" ? "an" : "a"} ${member}`]
    : [];
}
