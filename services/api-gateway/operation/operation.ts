import { applyDecorators, HttpCode, SetMetadata } from "@nestjs/common";
import { RouteConfig } from "@nestjs/platform-fastify";
import { ApiHeader, ApiOperation, ApiParam, ApiProduces, ApiResponse, ApiSecurity } from "@nestjs/swagger";
import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../../contracts/errors.ts";
import type { AuditAction } from "../../../contracts/http/audit-actions.ts";
import { describeId, type IdPrefix } from "../../../contracts/ids/ids.ts";
import { approvingScopes, type Scope } from "../../../contracts/http/scopes.ts";
import { retryAfterSeconds } from "../http/problem.ts";
import { costOfList, costOfWholeBook } from "../auth/rate-limit.ts";
import {
  authRefusals,
  bodyRefusals,
  idempotencyRefusals,
  queryRefusals,
  stepUpRefusals,
  unknownQueryRefusals,
  unwantedBodyRefusals,
  upstreamRefusals,
  writeRefusals,
} from "./usual-refusals.ts";

/** The required scope; "any key" if a key needs none; "public" for an operation without a key. */
export type Access = Scope | "any key" | "public";

export interface OperationSpec {
  /** The operation id, which names it in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly access: Access;
  /**
   * Lets in a caller with this scope who lacks that of `access`, to decide on what another principal has proposed: the
   * owner refuses anything else. In a session they confirm it with a passkey.
   */
  readonly alternativeScope?: Scope;
  /** The success status and its body; 204 has none. */
  readonly answers:
    | { readonly status: 200 | 201 | 202; readonly schema: z.ZodType; readonly as?: string }
    | { readonly status: 204; readonly schema?: undefined; readonly as: string };
  /** A second success status, which the method sends itself (`@Res()`). */
  readonly secondAnswer?: { readonly status: 202; readonly schema: z.ZodType; readonly as: string };
  /** True if the answer can be read as a CSV file, too. */
  readonly alsoAsCsv?: boolean;
  /** Error codes of this operation, beside those that `refusalsOf` adds. */
  readonly refusals?: readonly ErrorCode[];
  /** True if the operation changes something and so takes an Idempotency-Key. */
  readonly writes?: boolean;
  /**
   * True if a person decides by it, so that its Idempotency-Key counts for this principal alone: a replay would let
   * another one believe that they had decided. Default: true if a passkey confirms the operation (`confirmedFor`).
   */
  readonly isDecision?: boolean;
  /**
   * In a session, people with this scope confirm the operation with a passkey, because it decides on what others made,
   * moves money or opens a way to it (docs/adr/0035). Default: the scope of `access`, if that decides on what others
   * made.
   */
  readonly confirmedFor?: Scope;
  /** Whether a body only stops something, which needs no passkey. Default: no body does. */
  readonly onlyStops?: (body: unknown) => boolean;
  /** What the audit log records once the operation is done. Default: nothing. */
  readonly audited?: AuditAction;
  /** The same for the second answer: somebody else has to decide on what was proposed. */
  readonly auditedProposal?: AuditAction;
  /** What `Prefer: wait=N` waits for, if the operation takes it. */
  readonly waits?: string;
  /** True if the answer has the resource's version as `ETag`. */
  readonly hasETag?: boolean;
  /** True if the answer is a document: it has an `ETag`, and is not sent again to a caller that has it. */
  readonly isDocument?: boolean;
  /** True if the operation takes `If-Match`. */
  readonly takesIfMatch?: boolean;
  /** Whether the operation validates a body, a query or both. */
  readonly takes?: readonly ("body" | "query")[];
  /** The path's parameters: each an id, given by its prefix, or one of an enum's values. */
  readonly path?: Readonly<Record<string, IdPrefix | z.ZodEnum>>;
  readonly testKeysOnly?: boolean;
  /** True if the answer is no page, but costs as much. */
  readonly readsAsList?: boolean;
  /** True if the answer is of every order and entry of the book. */
  readonly readsWholeBook?: boolean;
}

const specKey = "operation";
/** The media type of answers that are a file. */
export const csvType = "text/csv";

/** The spec of a route's method; undefined for a method that is not a route. */
export function operationOf(method: object): OperationSpec | undefined {
  return Reflect.getMetadata(specKey, method) as OperationSpec | undefined;
}

/** Every error code that the operation can answer with. */
function refusalsOf(spec: OperationSpec): ErrorCode[] {
  return [
    ...(spec.access === "public" ? [] : [...authRefusals, ...unknownQueryRefusals, ...upstreamRefusals]),
    ...(spec.takes?.includes("body") === true ? bodyRefusals : []),
    ...(spec.writes === true && spec.takes?.includes("body") !== true ? unwantedBodyRefusals : []),
    ...(spec.takes?.includes("query") === true ? queryRefusals : []),
    ...(spec.writes === true ? [...idempotencyRefusals, ...writeRefusals] : []),
    ...(confirmingScope(spec) === undefined && spec.alternativeScope === undefined ? [] : stepUpRefusals),
    // A path that is not percent-encoded UTF-8 is refused before its id is read.
    ...(spec.path === undefined ? [] : (["not_found", "invalid_request"] as const)),
    ...(spec.takesIfMatch === true ? (["precondition_failed"] as const) : []),
    ...(spec.testKeysOnly === true ? (["simulation_requires_test_key"] as const) : []),
    ...(spec.refusals ?? []),
    // A request has one caller, in one mode.
    ...(spec.access === "public" ? [] : (["invalid_request"] as const)),
  ];
}

/** The scope for which a person confirms the operation; undefined if nobody has to. */
function confirmingScope({ access, confirmedFor, writes = false }: OperationSpec): Scope | undefined {
  return writes ? (confirmedFor ?? approvingScopes.find((scope) => scope === access)) : undefined;
}

/** Declares a route once. Its scope and status, and its entry in the OpenAPI document, all come from this. */
export function Operation(spec: OperationSpec): MethodDecorator {
  const { access, alternativeScope, answers, testKeysOnly = false } = spec;
  const confirmedFor = confirmingScope(spec);
  return applyDecorators(
    HttpCode(answers.status),
    SetMetadata(specKey, spec),
    RouteConfig({
      operation: spec.id,
      access,
      testKeysOnly,
      writes: spec.writes === true,
      isDecision: spec.isDecision ?? confirmedFor !== undefined,
      ...(confirmedFor === undefined ? {} : { confirmedFor }),
      ...(alternativeScope === undefined ? {} : { alternativeScope }),
      ...(spec.onlyStops && { onlyStops: spec.onlyStops }),
      ...(spec.audited && { audited: spec.audited }),
      ...(spec.auditedProposal && { auditedProposal: spec.auditedProposal }),
      takesQuery: spec.takes?.includes("query") === true,
      cost: spec.readsWholeBook === true ? costOfWholeBook : isList(spec) ? costOfList : 1,
    }),
    ApiOperation({ operationId: spec.id, summary: spec.summary, ...scopeNote(spec) }),
    // OpenAPI 3.1 allows role names in every kind of security requirement; ours is the scope.
    ...(access === "public" ? [] : [ApiSecurity("ApiKey", access === "any key" ? [] : [access])]),
    ...(alternativeScope === undefined ? [] : [ApiSecurity("ApiKey", [alternativeScope])]),
    ...Object.entries(spec.path ?? {}).map(([name, what]) => pathParameter(name, what)),
    ...requestHeaders(spec),
    ApiResponse({
      status: answers.status,
      description: answers.as ?? "The answer.",
      ...(answers.schema === undefined ? {} : { standardSchema: answers.schema }),
      headers: answerHeaders(spec),
    }),
    ...(spec.alsoAsCsv === true ? [ApiProduces("application/json", csvType)] : []),
    ...(spec.secondAnswer === undefined ? [] : [alsoAnswered(spec, spec.secondAnswer)]),
    ...(spec.isDocument === true ? [ApiResponse({ status: 304, description: "You have it already." })] : []),
    ...problemResponses(refusalsOf(spec)),
  );
}

function alsoAnswered(
  spec: OperationSpec,
  { status, as, schema }: NonNullable<OperationSpec["secondAnswer"]>,
) {
  return ApiResponse({
    status,
    description: as,
    standardSchema: schema,
    headers: answerHeaders({ ...spec, answers: { status, schema } }),
  });
}

/** Appended to the operation's text in document/texts/descriptions.ts. */
function scopeNote({ access, alternativeScope }: OperationSpec): { description?: string } {
  if (access === "public") return {};
  if (access === "any key") return { description: "Needs no scope." };
  const instead =
    alternativeScope === undefined
      ? ""
      : `, or \`${alternativeScope}\` for what another principal has proposed`;
  return { description: `Needs the scope \`${access}\`${instead}.` };
}

/** A page, the bare array of a ledger account's entries, or what reads as much. */
function isList({ answers: { schema }, readsAsList = false }: OperationSpec): boolean {
  if (readsAsList) return true;
  return schema instanceof z.ZodArray || (schema instanceof z.ZodObject && "nextCursor" in schema.shape);
}

function pathParameter(name: string, what: IdPrefix | z.ZodEnum): MethodDecorator {
  if (typeof what !== "string") {
    const { id = "", description = "" } = what.meta() ?? {};
    const schema = { $ref: `#/components/schemas/${id}` };
    return ApiParam({ name, description, schema } as Parameters<typeof ApiParam>[0]);
  }
  const { description, examples } = describeId(what);
  return ApiParam({ name, description, schema: { type: "string", examples } });
}

function requestHeaders(spec: OperationSpec): MethodDecorator[] {
  return [
    ...(spec.writes === true
      ? [
          header("Idempotency-Key", {
            description:
              "Makes the request safe to repeat: the same key with the same body returns the first answer again.",
            schema: { type: "string", examples: ["invoice-4711"], minLength: 1, maxLength: 255 },
          }),
        ]
      : []),
    ...(spec.takesIfMatch === true
      ? [
          header("If-Match", {
            description: "The `ETag` that you read. A newer version answers 412. Default: any version.",
            schema: { type: "string", examples: ['"1"'] },
          }),
        ]
      : []),
    ...(spec.isDocument === true
      ? [
          header("If-None-Match", {
            description: "The `ETag` that you read. If the document has not changed, the answer is 304.",
            schema: { type: "string", examples: ['W/"LCa0a2j_xo_5m0U8HTBBNBNCLXBkg7-g-YpeiGJm564"'] },
          }),
        ]
      : []),
    ...(spec.waits === undefined
      ? []
      : [
          header("Prefer", {
            description: spec.waits,
            schema: { type: "string", examples: ["wait=5"] },
          }),
        ]),
  ];
}

function header(
  name: string,
  shown: {
    description: string;
    schema: { type: "string"; examples: string[]; minLength?: number; maxLength?: number };
  },
) {
  return ApiHeader({ name, ...shown, required: false });
}

const answerHeader = (description: string) => ({ description, schema: { type: "string" as const } });
const requestIdHeader = { "X-Request-Id": answerHeader("The request's id.") };

function answerHeaders(spec: OperationSpec) {
  return {
    ...requestIdHeader,
    ...(spec.access === "public"
      ? {}
      : {
          "RateLimit-Policy": answerHeader("The limit for your tenant and mode, where limits are on."),
          RateLimit: answerHeader("What is left of the limit."),
        }),
    ...(spec.answers.status === 201 ? { Location: answerHeader("Where to read the new resource.") } : {}),
    ...(spec.hasETag === true ? { ETag: answerHeader("The version, for `If-Match`.") } : {}),
    ...(spec.isDocument === true ? { ETag: answerHeader("What it says, for `If-None-Match`.") } : {}),
    ...(spec.takes?.includes("query") === true
      ? { Link: answerHeader('The next page, with `rel="next"`.') }
      : {}),
    ...(spec.writes === true
      ? { "Idempotent-Replayed": answerHeader("`true` if this is the first answer again.") }
      : {}),
    ...(spec.waits !== undefined ? { "Preference-Applied": answerHeader("The wait that was granted.") } : {}),
  };
}

/** One response per status, with its codes and an example of each, because a client switches on `code`. */
function problemResponses(codes: readonly ErrorCode[]): MethodDecorator[] {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorCatalogue[code].status);
  return [...byStatus].map(([status, same]) =>
    ApiResponse({
      status,
      description: same.map((code) => `\`${code}\``).join(" "),
      headers: {
        ...requestIdHeader,
        ...(same.some((code) => code in retryAfterSeconds)
          ? { "Retry-After": answerHeader("How many seconds to wait before you send the request again.") }
          : {}),
      },
      content: {
        "application/problem+json": {
          schema: { $ref: "#/components/schemas/Problem" },
          examples: Object.fromEntries(same.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    } as Parameters<typeof ApiResponse>[0]),
  );
}
