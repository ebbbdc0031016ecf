import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

export interface Described {
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
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema, io),
  });
  const text = JSON.stringify({ schema: own, components: $defs ?? {} });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Described;
}

function tidy(schema: JsonSchema, io: "input" | "output"): void {
  // Answers may grow: a client that refused new members would break with the next release.
  if (io === "output" && schema["additionalProperties"] === false) delete schema["additionalProperties"];
  // The format says it; zod's pattern of a time is a line long.
  if (schema["format"] !== undefined) delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  // The component is named by it already.
  delete schema["id"];
  // A named enum of one value, written as its siblings are.
  if (schema["x-enumDescriptions"] !== undefined && schema["const"] !== undefined) {
    schema["enum"] = [schema["const"]];
    delete schema["const"];
  }
  foldNull(schema);
}

/** `anyOf [X, null]` as X with null among its types: what people and generators read with less effort. */
function foldNull(schema: JsonSchema): void {
  const options = schema["anyOf"] as JsonSchema[] | undefined;
  if (options?.length !== 2) return;
  const [some = {}, none = {}] = options;
  if (none["type"] !== "null" || typeof some["type"] !== "string") return;
  delete schema["anyOf"];
  const { enum: values, const: value, ...rest } = some as JsonSchema & { enum?: unknown[] };
  const among = values ?? (value === undefined ? undefined : [value]);
  // What the outer schema says of itself stands before what the inner one says of every use.
  Object.assign(schema, { ...rest, ...schema, type: [some["type"], "null"] });
  if (among !== undefined) schema["enum"] = [...among, null];
}
