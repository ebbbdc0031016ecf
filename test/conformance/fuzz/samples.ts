/** Makes valid requests from the document. The fuzz then mutates them. */
import type { RandomFaults } from "../../faults/inject/random-faults.ts";
import {
  bodyExamplesOf,
  bodySchemaOf,
  type JsonSchema,
  type OpenApi,
  type Operation,
  type Parameter,
} from "../document.ts";

/** What a schema can't express: existing names, valid checksums, fields that exclude each other. */
const known: Readonly<Record<string, unknown>> = {
  ledgerAccountName: "Operating",
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
  accountNumber: "000123456789",
  routingNumber: "790001005",
  url: "http://127.0.0.1:9/hooks",
  currency: "USD",
  basis: "Actual",
  code: "R03",
  since: new Date(Date.now() - 86_400_000).toISOString(),
  until: new Date(Date.now() + 86_400_000).toISOString(),
  eventTypes: ["test.event"],
  ipAllowlist: ["127.0.0.1"],
  dryRun: false,
  // Seconds that an answer may take.
  wait: 0,
};
const left: readonly string[] = [
  "ledgerAccountId",
  "counterpartyId",
  "effectiveDate",
  "expiresAt",
  "principal",
];

/** Ids of the caller's book, by prefix. */
export type OwnIds = (prefix: string) => readonly string[];

/** A valid body, from an example or from the schema; undefined if the operation takes none. */
export function goodBody(
  document: OpenApi,
  operation: Operation,
  random: RandomFaults,
  own: OwnIds = () => [],
): unknown {
  const schema = bodySchemaOf(operation);
  const examples = bodyExamplesOf(operation);
  if (examples.length > 0 && random.next() < 0.6) return withOwnIds(random.pick(examples), random, own);
  return schema === undefined ? undefined : new Sampler(document, random).of(schema, "");
}

/** No two people of a tenant have one email. */
const freshEmail = (random: RandomFaults) => `ada.${String(random.between(0, 1_000_000_000))}@example.com`;

/** A copy of an example with existing ids, and with an email that is free. */
function withOwnIds(example: unknown, random: RandomFaults, own: OwnIds): unknown {
  const text = JSON.stringify(example).replaceAll(
    /"([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}"/g,
    (id, prefix: string) => {
      const known = own(prefix);
      return known.length === 0 ? id : JSON.stringify(random.pick(known));
    },
  );
  return JSON.parse(text, (key, value: unknown) => (key === "email" ? freshEmail(random) : value)) as unknown;
}

/** A valid value of the parameter. */
export function goodParameter(
  document: OpenApi,
  { name, schema = {} }: Parameter,
  random: RandomFaults,
): string {
  const value = new Sampler(document, random).of(schema, name);
  return String(Array.isArray(value) ? value[0] : value);
}

class Sampler {
  readonly #document: OpenApi;
  readonly #random: RandomFaults;

  constructor(document: OpenApi, random: RandomFaults) {
    this.#document = document;
    this.#random = random;
  }

  of(written: JsonSchema, name: string): unknown {
    const schema = this.#resolved(written);
    if (Object.hasOwn(known, name)) return known[name];
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return this.#random.pick(schema["enum"] as unknown[]);
    const choices = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
    if (choices !== undefined) return this.of(this.#random.pick(choices), name);
    if (schema["type"] === "object" || "properties" in schema) return this.#object(schema);
    if (schema["type"] === "array") return [this.of((schema["items"] ?? {}) as JsonSchema, "")];
    if (schema["type"] === "boolean") return this.#random.next() < 0.5;
    if (schema["type"] === "integer" || schema["type"] === "number") return this.#number(schema);
    if (schema["type"] === "null") return null;
    return this.#text(schema, name);
  }

  #resolved(schema: JsonSchema): JsonSchema {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    return this.#resolved(this.#document.components.schemas[reference.split("/").at(-1) ?? ""] ?? {});
  }

  #object(schema: JsonSchema): Record<string, unknown> {
    const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
    const required = new Set((schema["required"] ?? []) as string[]);
    const wanted = properties.filter(
      ([name]) => required.has(name) || name in known || (!left.includes(name) && this.#random.next() < 0.5),
    );
    return Object.fromEntries(wanted.map(([name, member]) => [name, this.of(member, name)]));
  }

  #number({ minimum, maximum }: { minimum?: number; maximum?: number }): number {
    const low = Math.max(minimum ?? 1, 0);
    return this.#random.between(low, Math.min(maximum ?? 100_000, low + 100_000));
  }

  #text(
    { format, minLength = 1, maxLength = 20 }: { format?: string; minLength?: number; maxLength?: number },
    name: string,
  ): string {
    if (format === "email") return freshEmail(this.#random);
    if (format === "date") return "2026-11-20";
    if (format === "date-time") return "2026-11-20T12:00:00.000Z";
    const text = `${name} ${String(this.#random.between(0, 1_000_000_000))}`;
    return text.slice(0, maxLength).padEnd(minLength, "x");
  }
}
