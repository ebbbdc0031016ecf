import { HttpException } from "@nestjs/common";
import { type ErrorCode, errorCatalogue, Refusal } from "../../../contracts/errors.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import { isInfrastructureFault } from "../../platform/persistence/infrastructure-fault.ts";

/** Fastify's own refusals as ours. Its other refusals below 500 are `invalid_request`. */
const fastifyRefusals: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["body_too_large", "Send at most 1 MiB."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "unsupported_media_type",
    "Send the body with Content-Type: application/json.",
  ],
  FST_ERR_MAX_PARAM_LENGTH: ["not_found", "There is no such resource: check the id."],
  FST_ERR_BAD_URL: ["invalid_request", "Send a path that is percent-encoded UTF-8."],
};

/** Seconds after which a client may retry, for refusals that don't carry their own `retryAfterSeconds`. */
export const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  rate_limited: 1,
  service_unavailable: 1,
  bank_statement_refused: 1,
  idempotency_in_progress: 1,
};

/** What a request may have written when it fails: `Keyed` with an Idempotency-Key, `Unkeyed` without. */
export type Writes = "Nothing" | "Keyed" | "Unkeyed";

const checkFirst =
  "This request had no Idempotency-Key: read whether it was carried out before you send it again.";
/** Refusals after which nobody knows whether the request was carried out. */
const unknownOutcome: readonly ErrorCode[] = ["internal_error", "upstream_timeout"];

/**
 * Nobody knows whether it was carried out, and without a key a repeat could be carried out twice. A frozen book refuses
 * before anything is written.
 */
function mustBeChecked({ code, context }: Refusal, writes: Writes): boolean {
  return writes === "Unkeyed" && errorCatalogue[code].status >= 500 && context?.["bookFrozen"] !== true;
}

/** What to do after a failure, as far as it depends on what the request writes. */
function adviceOn(refusal: Refusal, writes: Writes): string {
  if (writes === "Unkeyed") return mustBeChecked(refusal, writes) ? ` ${checkFirst}` : "";
  const { code } = refusal;
  if (!unknownOutcome.includes(code)) return "";
  return writes === "Nothing"
    ? " This request changes nothing: send it again."
    : " The request may have been carried out: send it again with the same Idempotency-Key.";
}

export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Problem;
}

/**
 * The refusal for an error, or undefined for an unexpected error. An unavailable database or broker is
 * `service_unavailable`, never a 500.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  // Nest wraps Fastify's errors; the original is the cause.
  const thrown = error instanceof HttpException && error.cause !== undefined ? error.cause : error;
  if (thrown instanceof Refusal) return thrown;
  const known = fastifyRefusals[codeIn(thrown)];
  if (known !== undefined) return new Refusal(...known);
  if (isInfrastructureFault(thrown)) {
    return new Refusal(
      "service_unavailable",
      "A part of the service is unavailable for a moment. Send the request again.",
    );
  }
  const status = error instanceof HttpException ? error.getStatus() : statusIn(thrown);
  if (status === 404)
    return new Refusal(
      "route_not_found",
      "Check the path: GET /docs shows every route, GET /v1/openapi.json has them for programs.",
    );
  if (status >= 400 && status < 500)
    return new Refusal("invalid_request", "Send a well-formed HTTP request.");
  return undefined;
}

function codeIn(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function statusIn(error: unknown): number {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : 500;
}

/** The answer to an unexpected error: nothing but the request id, which finds the error in the log. */
export function internalError(): Refusal {
  return new Refusal("internal_error", "The service failed. Name the requestId when you report it.");
}

interface FailedRequest {
  readonly requestId: string;
  readonly instance: string;
  /** Ends in a slash; with the code appended it is the problem's type. */
  readonly docsBaseUrl: string;
  readonly writes: Writes;
}

/** Renders a refusal as RFC 9457. */
export function problemOf(refusal: Refusal, request: FailedRequest): ProblemAnswer {
  const { status, title, retryable } = errorCatalogue[refusal.code];
  const known = refusal.context?.["retryAfterSeconds"];
  const pauseSeconds = typeof known === "number" ? known : retryAfterSeconds[refusal.code];
  const standard = {
    type: request.docsBaseUrl + refusal.code,
    title,
    status,
    detail: refusal.message + adviceOn(refusal, request.writes),
    instance: request.instance,
    code: refusal.code,
    requestId: request.requestId,
    retryable: retryable && !mustBeChecked(refusal, request.writes),
    ...(refusal.errors === undefined ? {} : { errors: [...refusal.errors] }),
  };
  return {
    status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      ...(pauseSeconds === undefined ? {} : { "retry-after": String(pauseSeconds) }),
    },
    // The first spread puts the standard members first; the second keeps the context from replacing one of them.
    body: { ...standard, ...refusal.context, ...standard },
  };
}
