import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

export interface Described {
  readonly schema: JsonSchema;
  readonly components: Record<string, JsonSchema>;
}

/**
 * Converts a zod schema to JSON Schema 2020-12, which OpenAPI 3.1 uses. Schemas with an id become shared components.
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
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema, io),
  });
  const text = JSON.stringify({ schema: own, components: $defs ?? {} });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Described;
}

function tidy(schema: JsonSchema, io: "input" | "output"): void {
  // Answers may grow: a client that refused new members would break with the next release.
  if (io === "output" && schema["additionalProperties"] === false) delete schema["additionalProperties"];
  // The format already says this, and zod's pattern for a time is a line long.
  if (schema["format"] !== undefined) delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  // The id is already the component's name.
  delete schema["id"];
  // A named enum with one value is written like the other enums.
  if (schema["x-enumDescriptions"] !== undefined && schema["const"] !== undefined) {
    schema["enum"] = [schema["const"]];
    delete schema["const"];
  }
  foldNull(schema);
}

/** Writes `anyOf [X, null]` as X with null among its types, which people and generators read more easily. */
function foldNull(schema: JsonSchema): void {
  const options = schema["anyOf"] as JsonSchema[] | undefined;
  if (options?.length !== 2) return;
  const [some = {}, none = {}] = options;
  if (none["type"] !== "null" || typeof some["type"] !== "string") return;
  delete schema["anyOf"];
  const { enum: values, const: value, ...rest } = some as JsonSchema & { enum?: unknown[] };
  const among = values ?? (value === undefined ? undefined : [value]);
  // The outer schema's members take precedence: they describe this use, the inner schema's describe every use.
  Object.assign(schema, { ...rest, ...schema, type: [some["type"], "null"] });
  if (among !== undefined) schema["enum"] = [...among, null];
}
