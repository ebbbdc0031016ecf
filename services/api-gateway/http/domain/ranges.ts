import { z } from "zod";
import { type Limits, rangeMessage as messageOfRange } from "../../../../contracts/text/issue-message.ts";

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/**
 * The message of an issue about a range, with both of its bounds; the issue has only the one that the value is beyond.
 * Undefined for an issue about something else.
 */
export function rangeMessage(issue: z.core.$ZodIssue, schema: z.ZodType): string | undefined {
  return messageAt(issue, fieldAt(jsonOf(schema), issue.path));
}

/** The message of an issue about a key of pairs: what is wrong with the key, which zod puts into an inner issue. */
export function keyMessage({ path, issues }: z.core.$ZodIssueInvalidKey, schema: z.ZodType): string {
  const keys = fieldAt(jsonOf(schema), path.slice(0, -1))?.propertyNames;
  const [wrong] = issues;
  return wrong === undefined ? "is not a valid key" : `the key ${messageAt(wrong, keys) ?? wrong.message}`;
}

function messageAt(issue: z.core.$ZodIssue, at: JsonSchema | undefined): string | undefined {
  if (issue.code !== "too_small" && issue.code !== "too_big") return undefined;
  const bound = Number(issue.code === "too_small" ? issue.minimum : issue.maximum);
  const limits = (least?: number, most?: number): Limits => ({
    from: isBound(least) ? least : issue.code === "too_small" ? bound : undefined,
    to: isBound(most) ? most : issue.code === "too_big" ? bound : undefined,
  });
  switch (issue.origin) {
    case "string":
      return messageOfRange(issue.origin, limits(at?.minLength, at?.maxLength));
    case "array":
      return messageOfRange(issue.origin, limits(at?.minItems, at?.maxItems));
    default:
      return messageOfRange(issue.origin, limits(at?.minimum, at?.maximum));
  }
}

const written = new WeakMap<z.ZodType, JsonSchema>();

/** Written at the first issue of a schema. */
function jsonOf(schema: z.ZodType): JsonSchema {
  const known =
    written.get(schema) ?? (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema);
  written.set(schema, known);
  return known;
}

function fieldAt(root: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((at, part) => {
    const inside = at && resolved(root, at);
    if (inside === undefined) return undefined;
    if (typeof part === "number") return inside.items && resolved(root, inside.items);
    const { additionalProperties: others } = inside;
    const field = inside.properties?.[String(part)] ?? (typeof others === "object" ? others : undefined);
    return field && resolved(root, field);
  }, root);
}

/** The schema that a reference names; of alternatives the first, because the second is null. */
function resolved(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) return resolved(root, root.$defs?.[$ref.replace("#/$defs/", "")] ?? {});
  return anyOf?.[0] === undefined ? schema : resolved(root, anyOf[0]);
}

/** Every whole number has the safe integers as its bounds, which say nothing. */
function isBound(value: number | undefined): value is number {
  return value !== undefined && Math.abs(value) !== Number.MAX_SAFE_INTEGER;
}
