/** Checks whether a changed JSON Schema still fits existing callers and readers. Pure. */

export type Schema = Readonly<Record<string, unknown>>;
/** `request`: callers write it. `answer`: callers read it, also the body of an event. */
export type Side = "request" | "answer";
export interface Compared {
  readonly before: Schema | undefined;
  readonly after: Schema | undefined;
}

/** Each way in which a schema became stricter for writers or poorer for readers, with its location. */
export type CompareSchemas = (pair: Compared, side: Side, at: string) => string[];

type Resolve = (schema: Schema) => Schema;

/** A comparison of schemas out of two documents; their `$ref`s are looked up by `resolve`. */
export function schemaComparison(resolveBefore: Resolve, resolveAfter: Resolve): CompareSchemas {
  // A schema may contain itself, so a pair that is being compared is not compared again.
  const open = new Set<string>();
  const compare: CompareSchemas = (pair, side, at) => {
    const name = nameOf(pair.after);
    if (nameOf(pair.before) === undefined || name === undefined) return within(pair, side, at);
    const key = `${side} ${String(nameOf(pair.before))} ${name}`;
    if (open.has(key)) return [];
    open.add(key);
    // A component's changes are located by its name, so that a change shared by many operations is reported once.
    const changes = within(pair, side, name);
    open.delete(key);
    return changes;
  };
  const within: CompareSchemas = (pair, side, at) => {
    const before = resolveBefore(pair.before ?? {});
    const after = resolveAfter(pair.after ?? {});
    const options = compareOptions(before, after, side, at, compare);
    if (options !== undefined) return options;
    return [
      ...compareTypes(before, after, side, at),
      ...(side === "request" ? compareBounds(before, after, at) : compareFormat(before, after, at)),
      ...compareProperties(before, after, side, at, compare),
      ...compareIn(before, after, "items", side, `${at}[]`, compare),
      ...compareIn(before, after, "additionalProperties", side, `${at}.*`, compare),
    ];
  };
  return compare;
}

function nameOf(schema: Schema | undefined): string | undefined {
  return (schema?.["$ref"] as string | undefined)?.split("/").at(-1);
}

/** Every old option must still be accepted from writers, and readers must know every new option already. */
function compareOptions(
  before: Schema,
  after: Schema,
  side: Side,
  at: string,
  compare: CompareSchemas,
): string[] | undefined {
  if (optionsOf(before) === undefined && optionsOf(after) === undefined) return undefined;
  const old = optionsOf(before) ?? [before];
  const now = optionsOf(after) ?? [after];
  const fits = (a: Schema, b: Schema) => compare({ before: a, after: b }, side, at).length === 0;
  const lost =
    side === "request"
      ? old.filter((option) => !now.some((candidate) => fits(option, candidate)))
      : now.filter((option) => !old.some((candidate) => fits(candidate, option)));
  if (lost.length === 0) return [];
  return [`${at}: ${side === "request" ? "a choice is not taken any more" : "a new kind of value can come"}`];
}

/** Other members of the schema, such as a default, belong to each option. */
function optionsOf({ anyOf, oneOf, ...shared }: Schema): Schema[] | undefined {
  return ((anyOf ?? oneOf) as Schema[] | undefined)?.map((option) => ({ ...shared, ...option }));
}

function compareTypes(before: Schema, after: Schema, side: Side, at: string): string[] {
  const old = typesOf(before);
  const now = typesOf(after);
  const fits = (some: string[] | undefined, all: string[] | undefined) =>
    all === undefined ||
    (some?.every((type) => all.includes(type) || (type === "integer" && all.includes("number"))) ?? false);
  const isFine = side === "request" ? fits(old, now) : fits(now, old);
  const show = (types: string[] | undefined) => types?.join(" or ") ?? "anything";
  const types = isFine ? [] : [`${at}: its type was ${show(old)} and is ${show(now)}`];
  return [...types, ...(side === "request" ? compareValues(before, after, at) : [])];
}

function typesOf(schema: Schema): string[] | undefined {
  const { type } = schema;
  return type === undefined ? undefined : ([type].flat() as string[]);
}

/** New values in answers are additive; a value that callers send must stay. */
function compareValues(before: Schema, after: Schema, at: string): string[] {
  const now = valuesOf(after);
  if (now === undefined) return [];
  const old = valuesOf(before);
  if (old === undefined) return [`${at}: it takes only ${now.join(", ")} now`];
  const gone = old.filter((value) => !now.includes(value));
  return gone.length === 0 ? [] : [`${at}: it does not take ${gone.join(", ")} any more`];
}

function valuesOf(schema: Schema): unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return schema["enum"] as unknown[] | undefined;
}

const upper = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const lower = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const fixed = ["pattern", "format", "multipleOf", "uniqueItems"];

function compareBounds(before: Schema, after: Schema, at: string): string[] {
  const describeChange = (name: string) =>
    `${at}: ${name} was ${show(before[name])} and is ${show(after[name])}`;
  const tightened = [
    ...upper.filter((name) => name in after && bound(after, name) < bound(before, name, Infinity)),
    ...lower.filter((name) => name in after && bound(after, name) > bound(before, name, -Infinity)),
    ...fixed.filter((name) => name in after && after[name] !== before[name]),
    // Callers that omit the member get the default.
    ...(show(before["default"]) === show(after["default"]) ? [] : ["default"]),
  ];
  const isClosed = after["additionalProperties"] === false && before["additionalProperties"] !== false;
  const closed = isClosed && typesOf(before)?.includes("object") === true;
  return [
    ...tightened.map(describeChange),
    ...(closed ? [`${at}: it refuses members that it does not know now`] : []),
  ];
}

function bound(schema: Schema, name: string, otherwise = Number.NaN): number {
  return (schema[name] as number | undefined) ?? otherwise;
}

function show(value: unknown): string {
  return value === undefined ? "not said" : JSON.stringify(value);
}

function compareFormat(before: Schema, after: Schema, at: string): string[] {
  if (before["format"] === undefined || before["format"] === after["format"]) return [];
  return [`${at}: format was ${show(before["format"])} and is ${show(after["format"])}`];
}

function compareProperties(
  before: Schema,
  after: Schema,
  side: Side,
  at: string,
  compare: CompareSchemas,
): string[] {
  const old = (before["properties"] ?? {}) as Record<string, Schema>;
  const now = (after["properties"] ?? {}) as Record<string, Schema>;
  const wasRequired = (before["required"] ?? []) as string[];
  const isRequired = (after["required"] ?? []) as string[];
  return [
    ...Object.keys(old)
      .filter((name) => !(name in now))
      .map((name) => `${at}.${name}: it is gone`),
    ...(side === "request"
      ? isRequired
          .filter((name) => !wasRequired.includes(name))
          .map((name) => `${at}.${name}: it is required now`)
      : wasRequired
          .filter((name) => name in now && !isRequired.includes(name))
          .map((name) => `${at}.${name}: it can be absent now`)),
    ...Object.keys(old)
      .filter((name) => name in now)
      .flatMap((name) => compare({ before: old[name], after: now[name] }, side, `${at}.${name}`)),
  ];
}

function compareIn(
  before: Schema,
  after: Schema,
  member: string,
  side: Side,
  at: string,
  compare: CompareSchemas,
): string[] {
  const old = before[member];
  const now = after[member];
  if (typeof old !== "object" || typeof now !== "object") return [];
  return compare({ before: old as Schema, after: now as Schema }, side, at);
}
