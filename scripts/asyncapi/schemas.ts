import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

export const schemaReference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** By name, so that the document does not depend on the order of declarations. */
export function sorted<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Converts zod schemas to JSON Schema draft 7, which AsyncAPI's own schemas extend, and collects what they share. */
export class Schemas {
  readonly #shared = new Map<string, JsonSchema>();

  /** The schema of what a receiver accepts. Schemas with an id become shared components. */
  of(schema: z.ZodType): JsonSchema {
    const {
      $schema: _draft,
      definitions,
      ...own
    } = z.toJSONSchema(schema, {
      target: "draft-7",
      io: "input",
      unrepresentable: "any",
      override: ({ jsonSchema }) => tidy(jsonSchema as Record<string, unknown>),
    });
    const text = JSON.stringify({ own, definitions: definitions ?? {} });
    const written = JSON.parse(text.replaceAll('"#/definitions/', '"#/components/schemas/')) as {
      own: JsonSchema;
      definitions: Record<string, JsonSchema>;
    };
    for (const [name, each] of Object.entries(written.definitions)) this.share(name, each);
    return written.own;
  }

  /** Makes a schema a shared component and returns a reference to it. Throws if the name has another schema. */
  share(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#shared.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(`${name} names two schemas: give one of them another id`);
    }
    this.#shared.set(name, schema);
    return schemaReference(name);
  }

  /** The shared schemas by name. */
  shared(): Record<string, JsonSchema> {
    return sorted(Object.fromEntries(this.#shared));
  }
}

function tidy(schema: Record<string, unknown>): void {
  // The format already says this, and zod's pattern for a time is a line long.
  if (schema["format"] !== undefined) delete schema["pattern"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  // The id is already the component's name.
  delete schema["id"];
}
