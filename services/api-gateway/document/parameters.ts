import type { JsonSchema } from "./json-schema.ts";

export interface Parameter {
  name: string;
  in: string;
  description?: string;
  example?: unknown;
  schema?: JsonSchema;
  $ref?: string;
}

/** Moves a parameter's description and example from its schema to the parameter, where generators look for them. */
export function describeParameter(parameter: Parameter, schemas: Readonly<Record<string, JsonSchema>>): void {
  // Nest writes the first of `examples` as `example`.
  const { description, example: own, ...schema } = parameter.schema ?? {};
  const resolved = resolve(schema, schemas);
  const text = parameter.description ?? description ?? resolved["description"];
  const example = parameter.example ?? own ?? schema["default"] ?? exampleOf(resolved, schemas);
  if (text !== undefined) Object.assign(parameter, { description: text });
  if (example !== undefined) Object.assign(parameter, { example });
  // A component's own description would be printed twice.
  Object.assign(parameter, { schema: schema["type"] === "array" ? oneOrList(schema) : schema });
  // Pairs are sent as `name[key]=value`.
  if (schema["type"] === "object") Object.assign(parameter, { style: "deepObject", explode: true });
}

/** As callers may write it: one value, or the parameter repeated. Generated clients of earlier releases send one. */
function oneOrList({ items, ...list }: JsonSchema): JsonSchema {
  const { description: _text, examples: _examples, example: _example, ...item } = items as JsonSchema;
  return { anyOf: [item, { ...list, items: item }] };
}

function exampleOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): unknown {
  const [value = schema["example"]] = (schema["enum"] ?? schema["examples"] ?? []) as unknown[];
  return schema["type"] === "array"
    ? exampleOf(resolve(schema["items"] as JsonSchema, schemas), schemas)
    : value;
}

function resolve(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const name = (schema["$ref"] as string | undefined)?.split("/").at(-1);
  return name === undefined ? schema : { ...schemas[name], ...schema };
}
