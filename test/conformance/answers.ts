/** Compares answers with the OpenAPI document. An answer that it does not describe is a fault. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { errorCatalogue } from "../../contracts/errors.ts";
import { bodySchemaOf, type JsonSchema, type OpenApi, type Operation, operationAt } from "./document.ts";

export interface Exchanged {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** The request's body, if it was JSON. */
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

/** Checks answers against one document. Schemas are compiled when an answer first needs them. */
export class AnswerChecker {
  readonly #document: OpenApi;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApi) {
    this.#document = document;
    this.#ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });
    formats.default(this.#ajv);
    const annotations = [
      "components",
      "example",
      "externalDocs",
      "xml",
      "discriminator",
      "x-enumDescriptions",
    ];
    this.#ajv.addVocabulary(annotations);
    // The document lets answers grow; in our own tests, a new field must be in the document too.
    this.#ajv.addSchema({ $id: "answers", components: closed(document.components) } as object);
    this.#ajv.addSchema({ $id: "bodies", components: document.components } as object);
  }

  /** The differences from the document, one line each. Empty when the answer is as documented. */
  faultsOf(exchanged: Exchanged): string[] {
    const { method, status, headers } = exchanged;
    const path = exchanged.path.split("?", 1)[0] ?? "";
    const operation = operationAt(this.#document, method, path);
    const faults = headers.get("x-request-id") === null ? ["no X-Request-Id"] : [];
    if (operation === undefined || isBeforeHttp(exchanged)) {
      // Without an operation, any refusal is fine: of the key, the body or the route.
      if (status >= 500) faults.push(`${String(status)} where no operation is`);
      return [...faults, ...this.#problemFaults(exchanged)];
    }
    const response = operation.operation.responses[String(status)];
    if (response === undefined) {
      const known = Object.keys(operation.operation.responses).join(", ");
      return [
        ...faults,
        `status ${String(status)} is not documented (${known} are): ${exchanged.text.slice(0, 300)}`,
      ];
    }
    if (status === 201 && headers.get("location") === null) faults.push("201 without Location");
    if (method === "HEAD") return faults;
    if (status >= 400) return [...faults, ...this.#problemFaults(exchanged, codesIn(response))];
    return [...faults, ...this.#successFaults(exchanged, operation)];
  }

  /** The faults of a request body by the document's schema. */
  bodyFaults(operation: Operation, body: unknown): string[] {
    const schema = bodySchemaOf(operation);
    if (schema === undefined) return [];
    return this.#validate(`body of ${operation.operation.operationId}`, "bodies", schema, body);
  }

  #successFaults(exchanged: Exchanged, operation: Operation): string[] {
    const { status, headers, text, sent } = exchanged;
    const content = operation.operation.responses[String(status)]?.content ?? {};
    const [type = ""] = (headers.get("content-type") ?? "").split(";");
    if (Object.keys(content).length === 0)
      return text === "" ? [] : [`a body where none is documented: ${text.slice(0, 300)}`];
    const documented = content[type];
    if (documented === undefined) return [`content type ${JSON.stringify(type)} is not documented`];
    const faults = unknownParameters(exchanged.path, operation).map(
      (name) => `accepted the parameter ${name}`,
    );
    if (sent !== undefined) {
      const inBody = this.bodyFaults(operation, sent);
      faults.push(...inBody.map((fault) => `accepted a body that the document refuses: ${fault}`));
    }
    if (documented.schema === undefined || !type.endsWith("json")) return faults;
    const name = `${operation.operation.operationId} ${String(status)}`;
    return [...faults, ...this.#validate(name, "answers", documented.schema, JSON.parse(text))];
  }

  #problemFaults({ status, headers, text, method }: Exchanged, codes?: readonly string[]): string[] {
    const type = headers.get("content-type") ?? "";
    if (method === "HEAD") return status >= 400 ? [] : [`HEAD without an operation gave ${String(status)}`];
    if (!type.startsWith("application/problem+json"))
      return [`${String(status)} as ${JSON.stringify(type)}: ${text.slice(0, 300)}`];
    const problem = JSON.parse(text) as Record<string, unknown>;
    const faults = this.#validate("Problem", "answers", { $ref: "#/components/schemas/Problem" }, problem);
    const code = String(problem["code"]);
    const entry = Object.hasOwn(errorCatalogue, code)
      ? errorCatalogue[code as keyof typeof errorCatalogue]
      : undefined;
    if (entry === undefined) return [...faults, `code ${code} is not in the catalogue`];
    if (problem["status"] !== status || entry.status !== status)
      faults.push(`${code} came with ${String(status)}`);
    if (problem["requestId"] !== headers.get("x-request-id")) faults.push("requestId is not X-Request-Id");
    if (codes !== undefined && !codes.includes(code))
      faults.push(`${code} is not documented for this operation`);
    if ([429, 503].includes(status) && headers.get("retry-after") === null)
      faults.push(`${code} without Retry-After`);
    return faults;
  }

  #validate(name: string, root: "answers" | "bodies", schema: JsonSchema, value: unknown): string[] {
    const key = `${root} ${name}`;
    let validate = this.#compiled.get(key);
    if (validate === undefined) {
      const own = root === "answers" ? closed(schema) : schema;
      const text = JSON.stringify(own).replaceAll('"#/components/', `"${root}#/components/`);
      validate = this.#ajv.compile(JSON.parse(text) as object);
      this.#compiled.set(key, validate);
    }
    return validate(value)
      ? []
      : (validate.errors ?? []).slice(0, 5).map((error) => `${name}: ${describeError(error)}`);
  }
}

function describeError({ instancePath, message = "", params }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const unknown = additionalProperty ?? unevaluatedProperty;
  return `${instancePath === "" ? "/" : instancePath} ${message}${unknown === undefined ? "" : ` (${unknown})`}`;
}

/** Every code that a response's description or example names. */
function codesIn(response: object): string[] {
  return JSON.stringify(response).match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
}

/** The same schemas, closed: an object has only its named members, unless the schema allows others. */
function closed<T>(schema: T, within = false): T {
  if (Array.isArray(schema)) return schema.map((each) => closed(each, within)) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const { properties, additionalProperties, allOf } = schema as Record<string, unknown>;
  const members = Object.entries(schema).map(([name, value]) =>
    ["example", "examples", "default", "enum", "const"].includes(name)
      ? [name, value]
      : [name, closed(value, name === "allOf")],
  );
  const own = Object.fromEntries(members) as Record<string, unknown>;
  if (within || additionalProperties !== undefined) return own as T;
  if (allOf !== undefined) own["unevaluatedProperties"] = false;
  else if (isSchemas(properties)) own["additionalProperties"] = false;
  return own as T;
}

/** `properties` may be a keyword or the name of a member. Only the members of the keyword are all schemas. */
function isSchemas(properties: unknown): boolean {
  return typeof properties === "object" && properties !== null && !Array.isArray(properties);
}

/** Parameters that were sent but are not in the document. `metadata[team]` belongs to `metadata`. */
function unknownParameters(path: string, { operation }: Operation): string[] {
  // A public operation ignores unknown parameters.
  if ((operation.security ?? []).length === 0) return [];
  const parameters = operation.parameters ?? [];
  const known = new Set(parameters.map(({ name }) => name));
  // Pairs are sent as `name[key]=value`.
  const pairs = new Set(parameters.filter(({ style }) => style === "deepObject").map(({ name }) => name));
  const sent = new URL(path, "http://gateway.invalid").searchParams.keys();
  return [...sent].filter((name) => !known.has(name) && !pairs.has(name.replace(/\[.+\]$/s, "")));
}

/** True for a request that the HTTP server itself refuses: malformed, or with too many headers. */
function isBeforeHttp({ status, text, method }: Exchanged): boolean {
  if (status === 400 && method === "HEAD") return true;
  return status === 400 && (jsonOf(text) as { instance?: string } | undefined)?.instance === "";
}

/** A request's body as a value; undefined without a body, or if it is not JSON. */
export function jsonOf(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined; // broken JSON is what some tests send on purpose
  }
}
