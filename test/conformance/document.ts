/** The OpenAPI document for the conformance tests: finds the operation of a request, and its schemas. */
import { inlineReferences } from "../../scripts/openapi/inline-references.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly style?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

interface Content {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface DocumentedResponse {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface Operation {
  readonly method: string;
  /** As the document writes it: `/v1/payment-orders/{id}`. */
  readonly template: string;
  readonly operation: DocumentedOperation;
}

/** Reads the served document. Shared parameters and responses are written into their operations. */
export async function readDocument(url: string, fetchIt: typeof fetch = fetch): Promise<OpenApi> {
  const response = await fetchIt(url);
  if (!response.ok) throw new Error(`${url} answered ${String(response.status)}`);
  return inlineReferences((await response.json()) as OpenApi);
}

const methods = new Set(["get", "post", "put", "patch", "delete"]);

/** Every operation, in the document's order. */
export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([template, path]) =>
    Object.entries(path)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
  );
}

/**
 * The operation of a request, or undefined. A fixed segment wins over a parameter, whatever the method:
 * `/v1/payment-orders/preview` is not an id. `path` has no query.
 */
export function operationAt(document: OpenApi, method: string, path: string): Operation | undefined {
  const documented = method === "HEAD" ? "GET" : method;
  const segments = path.split("/");
  const [template] = Object.keys(document.paths)
    .filter((each) => fits(each.split("/"), segments))
    .sort((a, b) => parametersIn(a) - parametersIn(b));
  return operationsOf(document).find((each) => each.template === template && each.method === documented);
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) =>
      part.startsWith("{") ? segments[index] !== "" : part === segments[index],
    )
  );
}

const parametersIn = (template: string) => template.split("{").length;

/** The example request bodies of the document. */
export function bodyExamplesOf({ operation }: Operation): unknown[] {
  const { example, examples = {} } = operation.requestBody?.content["application/json"] ?? {};
  return [example, ...Object.values(examples).map(({ value }) => value)].filter((each) => each !== undefined);
}

/** The schema of the operation's JSON body, or undefined. */
export function bodySchemaOf({ operation }: Operation): JsonSchema | undefined {
  return operation.requestBody?.content["application/json"]?.schema;
}
