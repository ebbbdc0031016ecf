import { applyDecorators, HttpCode, SetMetadata } from "@nestjs/common";
import { RouteConfig } from "@nestjs/platform-fastify";
import { ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiSecurity } from "@nestjs/swagger";
import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../../contracts/errors.ts";
import type { Scope } from "../../../contracts/http/scopes.ts";
import { costOfList } from "../auth/rate-limit.ts";

export interface OperationSpec {
  /** The operation's name in generated clients. */
  readonly id: string;
  readonly summary: string;
  /** The scope that the key needs, or "public" for an operation without a key. */
  readonly access: Scope | "public";
  readonly answers: { readonly status: 200 | 201 | 202; readonly schema: z.ZodType; readonly as?: string };
  /** Another success that it can end with, which its method sends itself (`@Res()`). */
  readonly also?: { readonly status: 202; readonly schema: z.ZodType; readonly as: string };
  /** Beside those that every operation of its kind can meet. */
  readonly refusals?: readonly ErrorCode[];
  /** It changes something: it takes an Idempotency-Key and, with a body, can meet every fault of one. */
  readonly writes?: boolean;
  /** It takes `Prefer: wait=N`. */
  readonly waits?: boolean;
  /** Its answer carries the resource's version as `ETag`. */
  readonly tagged?: boolean;
  /** It takes `If-Match`. */
  readonly matches?: boolean;
  /** It has a query (or a body) that is validated. */
  readonly takes?: readonly ("body" | "query")[];
  /** What stands in its path: what it is, or what it can be. */
  readonly path?: Readonly<Record<string, string | readonly string[]>>;
  readonly testKeysOnly?: boolean;
}

const whoCalls: readonly ErrorCode[] = [
  "api_key_missing",
  "api_key_invalid",
  "tenant_inactive",
  "insufficient_scope",
  "ip_not_allowed",
  "rate_limited",
];
/** A parameter that nothing reads is refused on every route: mistyped, it would change nothing in silence. */
const inAnyQuery: readonly ErrorCode[] = ["unknown_parameter"];
const whenAsked: readonly ErrorCode[] = ["internal_error", "service_unavailable", "upstream_timeout"];
const inBody: readonly ErrorCode[] = [
  "malformed_json",
  "invalid_request",
  "missing_field",
  "invalid_field",
  "unknown_field",
  "body_too_large",
  "unsupported_media_type",
];
const inQuery: readonly ErrorCode[] = [
  "invalid_request",
  "invalid_field",
  "unknown_parameter",
  "invalid_cursor",
  "cursor_filter_mismatch",
];
const underKey: readonly ErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_key_reused",
  "idempotency_in_progress",
];

const specKey = "operation";

/** What a route's method was said to be; undefined for a method that is no route. */
export function operationOf(method: object): OperationSpec | undefined {
  return Reflect.getMetadata(specKey, method) as OperationSpec | undefined;
}

/** Every code that the operation can answer with. */
function refusalsOf(spec: OperationSpec): ErrorCode[] {
  return [
    ...(spec.access === "public" ? [] : [...whoCalls, ...inAnyQuery, ...whenAsked]),
    ...(spec.takes?.includes("body") === true ? inBody : []),
    ...(spec.takes?.includes("query") === true ? inQuery : []),
    ...(spec.writes === true ? underKey : []),
    // A path that is no percent-encoded UTF-8 is refused before there is an id to look for.
    ...(spec.path === undefined ? [] : (["not_found", "invalid_request"] as const)),
    ...(spec.matches === true ? (["precondition_failed"] as const) : []),
    ...(spec.testKeysOnly === true ? (["simulation_requires_test_key"] as const) : []),
    ...(spec.refusals ?? []),
  ];
}

/**
 * What a route is, said once: its scope and status work from it, and the OpenAPI document is written from it, so
 * that neither can part from the other.
 */
export function Operation(spec: OperationSpec): MethodDecorator {
  const { access, answers, testKeysOnly = false } = spec;
  return applyDecorators(
    HttpCode(answers.status),
    SetMetadata(specKey, spec),
    RouteConfig({
      operation: spec.id,
      access,
      testKeysOnly,
      takesQuery: spec.takes?.includes("query") === true,
      cost: isList(answers.schema) ? costOfList : 1,
    }),
    ApiOperation({ operationId: spec.id, summary: spec.summary, ...scopeNote(access) }),
    // OpenAPI 3.1 lets a requirement name roles for every kind of key: the scope, for programs.
    ...(access === "public" ? [] : [ApiSecurity("ApiKey", [access])]),
    ...Object.entries(spec.path ?? {}).map(([name, what]) =>
      typeof what === "string"
        ? ApiParam({ name, description: what, schema: { type: "string" } })
        : ApiParam({ name, description: "One of these.", schema: { type: "string", enum: [...what] } }),
    ),
    ...requestHeaders(spec),
    ApiResponse({
      status: answers.status,
      description: answers.as ?? "What was asked for",
      standardSchema: answers.schema,
      headers: answerHeaders(spec),
    }),
    ...(spec.also === undefined ? [] : [alsoAnswered(spec, spec.also)]),
    ...problemResponses(refusalsOf(spec)),
  );
}

function alsoAnswered(spec: OperationSpec, { status, as, schema }: NonNullable<OperationSpec["also"]>) {
  return ApiResponse({
    status,
    description: as,
    standardSchema: schema,
    headers: answerHeaders({ ...spec, answers: { status, schema } }),
  });
}

/** document/descriptions.ts says more of the operation, and stands before it. */
function scopeNote(access: Scope | "public"): { description?: string } {
  return access === "public" ? {} : { description: `Needs the scope \`${access}\`.` };
}

/** A page, or the bare array of a ledger account's entries. */
function isList(schema: z.ZodType): boolean {
  return schema instanceof z.ZodArray || (schema instanceof z.ZodObject && "nextCursor" in schema.shape);
}

function requestHeaders(spec: OperationSpec): MethodDecorator[] {
  const key = "Makes the request safe to repeat: with the same key and body, the first answer comes again.";
  const match = "The `ETag` that was read: at another version it is 412. Without it, any version will do.";
  const wait = "`wait=N`, N ≤ 10: hold the answer until the order rests, or N seconds have passed.";
  return [
    ...(spec.writes === true
      ? [header("Idempotency-Key", key, { type: "string", minLength: 1, maxLength: 255 })]
      : []),
    ...(spec.matches === true ? [header("If-Match", match, { type: "string" })] : []),
    ...(spec.waits === true ? [header("Prefer", wait, { type: "string" })] : []),
  ];
}

function header(
  name: string,
  description: string,
  schema: { type: "string"; minLength?: number; maxLength?: number },
) {
  return ApiHeader({ name, description, required: false, schema });
}

function answerHeaders(spec: OperationSpec) {
  const text = (description: string) => ({ description, schema: { type: "string" as const } });
  return {
    "X-Request-Id": text("The request's id"),
    ...(spec.access === "public"
      ? {}
      : {
          "RateLimit-Policy": text("What a tenant may ask in this mode, where limits are on"),
          RateLimit: text("What is left of it"),
        }),
    ...(spec.answers.status === 201 ? { Location: text("Where it can be read") } : {}),
    ...(spec.tagged === true ? { ETag: text("The version, for `If-Match`") } : {}),
    ...(spec.takes?.includes("query") === true ? { Link: text('The next page, `rel="next"`') } : {}),
    ...(spec.writes === true
      ? { "Idempotent-Replayed": text("`true` when the first answer came again") }
      : {}),
    ...(spec.waits === true ? { "Preference-Applied": text("The wait that was granted") } : {}),
  };
}

/** One response per status, its codes named, each with an example: a client switches on `code`. */
function problemResponses(codes: readonly ErrorCode[]): MethodDecorator[] {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorCatalogue[code].status);
  return [...byStatus].map(([status, same]) =>
    ApiResponse({
      status,
      description: same.map((code) => `\`${code}\``).join(" "),
      content: {
        "application/problem+json": {
          schema: { $ref: "#/components/schemas/Problem" },
          examples: Object.fromEntries(same.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    } as Parameters<typeof ApiResponse>[0]),
  );
}
