/** Error codes that many operations share. */
import type { ErrorCode } from "../../../contracts/errors.ts";

export const authRefusals: readonly ErrorCode[] = [
  "api_key_missing",
  "api_key_invalid",
  "session_ended",
  "cross_site_request",
  "no_role_in_mode",
  "tenant_inactive",
  "insufficient_scope",
  "ip_not_allowed",
  "rate_limited",
];
/** Refused on every route: a mistyped parameter would silently change nothing. */
export const unknownQueryRefusals: readonly ErrorCode[] = ["unknown_parameter"];
export const upstreamRefusals: readonly ErrorCode[] = [
  "internal_error",
  "service_unavailable",
  "upstream_timeout",
];
export const bodyRefusals: readonly ErrorCode[] = [
  "malformed_json",
  "invalid_request",
  "missing_field",
  "invalid_field",
  "unknown_field",
  "body_too_large",
  "unsupported_media_type",
];
/** Of a write that takes no body: the body of every method but GET and HEAD is parsed. */
export const unwantedBodyRefusals: readonly ErrorCode[] = [
  "malformed_json",
  "invalid_request",
  "invalid_field",
  "unknown_field",
  "body_too_large",
  "unsupported_media_type",
];
export const queryRefusals: readonly ErrorCode[] = [
  "invalid_request",
  "invalid_field",
  "unknown_parameter",
  "invalid_cursor",
  "cursor_filter_mismatch",
];
/** Of a session alone. */
export const writeRefusals: readonly ErrorCode[] = ["own_password_required"];
/** Of a session alone, where a passkey confirms the operation. */
export const stepUpRefusals: readonly ErrorCode[] = ["step_up_required"];
export const idempotencyRefusals: readonly ErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_key_reused",
  "idempotency_in_progress",
];
