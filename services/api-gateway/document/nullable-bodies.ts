import type { JsonSchema } from "./json-schema.ts";

type Components = Readonly<Record<string, JsonSchema>>;

/**
 * Lets every optional member of a body be null, which counts as absent (http/domain/nulls.ts). Changes the schema and
 * the components that it names in place.
 */
export function allowNulls(schema: JsonSchema, components: Components, seen = new Set<JsonSchema>()): void {
  const named = componentOf(schema, components) ?? schema;
  if (seen.has(named)) return;
  seen.add(named);
  const {
    properties = {},
    required = [],
    additionalProperties,
    items,
    anyOf = [],
    oneOf = [],
  } = named as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
    additionalProperties?: JsonSchema | boolean;
    items?: JsonSchema;
    anyOf?: JsonSchema[];
    oneOf?: JsonSchema[];
  };
  const inside = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf, ...oneOf];
  for (const each of inside) allowNulls(each, components, seen);
  for (const [name, property] of Object.entries(properties)) {
    if (!required.includes(name)) properties[name] = orNull(property, components);
  }
  // A pair of metadata may be absent, too.
  if (typeof additionalProperties === "object")
    named["additionalProperties"] = orNull(additionalProperties, components);
}

function componentOf(schema: JsonSchema, components: Components): JsonSchema | undefined {
  return components[(schema["$ref"] as string | undefined)?.split("/").at(-1) ?? ""];
}

function orNull(schema: JsonSchema, components: Components): JsonSchema {
  const {
    type,
    enum: values,
    anyOf,
    $ref,
  } = schema as {
    type?: string | string[];
    enum?: unknown[];
    anyOf?: JsonSchema[];
    $ref?: string;
  };
  if (typeof type === "string") {
    return { ...schema, type: [type, "null"], ...(values === undefined ? {} : { enum: [...values, null] }) };
  }
  if ($ref !== undefined) {
    const { $ref: _reference, ...rest } = schema;
    const description = rest["description"] ?? componentOf(schema, components)?.["description"];
    return { ...rest, description, anyOf: [{ $ref }, { type: "null" }] };
  }
  const isNullable = anyOf === undefined || anyOf.some((each) => each["type"] === "null");
  return isNullable ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
}
