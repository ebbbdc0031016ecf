/**
 * Every error code. `docs/errors.md` has an entry for each; a test compares them. `retryable`: the same request may
 * succeed later, unchanged.
 */
export const errorCatalogue = {
  malformed_json: { status: 400, title: "The body is not JSON", retryable: false },
  invalid_request: { status: 400, title: "The request is not valid", retryable: false },
  missing_field: { status: 400, title: "A required field is missing", retryable: false },
  invalid_field: { status: 400, title: "A field has an invalid value", retryable: false },
  unknown_field: {
    status: 400,
    title: "The body has an unknown field",
    retryable: false,
  },
  unknown_parameter: {
    status: 400,
    title: "The query has an unknown parameter",
    retryable: false,
  },
  invalid_cursor: { status: 400, title: "The cursor is not valid", retryable: false },
  cursor_filter_mismatch: { status: 400, title: "The cursor was made with other filters", retryable: false },
  invalid_idempotency_key: { status: 400, title: "The Idempotency-Key is not valid", retryable: false },
  api_key_missing: { status: 401, title: "No API key was sent", retryable: false },
  api_key_invalid: { status: 401, title: "The API key is not valid", retryable: false },
  session_ended: { status: 401, title: "The session is over", retryable: false },
  sign_in_failed: { status: 401, title: "The sign-in failed", retryable: false },
  tenant_inactive: { status: 401, title: "The tenant is not active", retryable: false },
  insufficient_scope: { status: 403, title: "The caller lacks a scope", retryable: false },
  ip_not_allowed: { status: 403, title: "The API key is not valid from this address", retryable: false },
  cross_site_request: { status: 403, title: "The request comes from another page", retryable: false },
  own_password_required: { status: 403, title: "The password is not the person's own", retryable: false },
  passkey_missing: { status: 403, title: "The person has no passkey", retryable: false },
  passkey_refused: { status: 403, title: "The passkey's answer is not valid", retryable: false },
  recent_sign_in_required: { status: 403, title: "The sign-in is too old for this", retryable: false },
  step_up_required: { status: 403, title: "A passkey has not confirmed this", retryable: false },
  no_role_in_mode: { status: 403, title: "The person has no role in this mode", retryable: false },
  self_approval_not_allowed: { status: 403, title: "A maker can't approve this", retryable: false },
  simulation_requires_test_key: { status: 403, title: "Simulation needs a test key", retryable: false },
  not_found: { status: 404, title: "There is no such resource", retryable: false },
  route_not_found: { status: 404, title: "There is no such route", retryable: false },
  method_not_allowed: { status: 405, title: "The route does not allow this method", retryable: false },
  request_timeout: { status: 408, title: "The request did not arrive in time", retryable: true },
  idempotency_key_reused: {
    status: 409,
    title: "The Idempotency-Key was used with another request",
    retryable: false,
  },
  idempotency_in_progress: {
    status: 409,
    title: "A request with this Idempotency-Key is still running",
    retryable: true,
  },
  invalid_state_transition: { status: 409, title: "The current state does not allow this", retryable: false },
  concurrent_update: { status: 409, title: "Somebody else is changing the order", retryable: true },
  order_frozen: { status: 409, title: "The order's fields are frozen", retryable: false },
  order_not_cancellable: { status: 409, title: "The order can no longer be cancelled", retryable: false },
  order_changed: { status: 409, title: "The order is not the one that was shown", retryable: false },
  duplicate_approval: { status: 409, title: "This principal has already approved", retryable: false },
  name_taken: { status: 409, title: "The name is taken", retryable: false },
  external_id_in_use: { status: 409, title: "The externalId is in use", retryable: false },
  already_reversed: { status: 409, title: "The transaction is already reversed", retryable: false },
  transaction_owned: { status: 409, title: "The transaction belongs to another resource", retryable: false },
  clock_not_manual: { status: 409, title: "The clock is not Manual", retryable: false },
  clock_advancing: { status: 409, title: "The clock is being advanced", retryable: true },
  webhook_secret_limit: {
    status: 409,
    title: "The endpoint has as many secrets as it can have",
    retryable: false,
  },
  precondition_failed: { status: 412, title: "The resource has changed", retryable: false },
  body_too_large: { status: 413, title: "The body is too large", retryable: false },
  unsupported_media_type: { status: 415, title: "The body must be application/json", retryable: false },
  counterparty_account_missing: {
    status: 422,
    title: "The counterparty's account is missing",
    retryable: false,
  },
  counterparty_unverified: { status: 422, title: "The counterparty is not verified", retryable: false },
  counterparty_archived: { status: 422, title: "The counterparty is archived", retryable: false },
  counterparty_change_pending: {
    status: 422,
    title: "A correction of the counterparty waits for a decision",
    retryable: false,
  },
  basis_is_demo_data: { status: 422, title: "The amount is based on demo data", retryable: false },
  basis_missing_input: { status: 422, title: "An input of the amount is missing", retryable: false },
  amount_above_rail_limit: { status: 422, title: "The amount is above the rail's limit", retryable: false },
  direction_not_supported: { status: 422, title: "The rail does not carry this direction", retryable: false },
  text_not_supported: { status: 422, title: "The rail does not carry this text", retryable: false },
  invalid_routing_number: { status: 422, title: "The routing number is not valid", retryable: false },
  invalid_wallet_address: { status: 422, title: "The wallet address is not valid", retryable: false },
  currency_mismatch: { status: 422, title: "The currencies differ", retryable: false },
  insufficient_funds: { status: 422, title: "The account can't cover the amount", retryable: false },
  ledger_account_not_found: { status: 422, title: "There is no such ledger account", retryable: false },
  ledger_account_closed: { status: 422, title: "The ledger account is closed", retryable: false },
  unbalanced_transaction: { status: 422, title: "Debits and credits differ", retryable: false },
  system_account_not_postable: {
    status: 422,
    title: "Only the service posts to this account",
    retryable: false,
  },
  approval_required: { status: 422, title: "The transaction needs an approval", retryable: false },
  balance_out_of_range: { status: 422, title: "A balance would leave the safe range", retryable: false },
  same_account: { status: 422, title: "Both sides are the same account", retryable: false },
  effective_date_invalid: { status: 422, title: "The effective date is not valid", retryable: false },
  velocity_limit_exceeded: { status: 422, title: "The daily limit is used up", retryable: false },
  obligation_not_payable: { status: 422, title: "The obligation can't be paid", retryable: false },
  amended_below_paid: { status: 422, title: "The amended total is below the amount paid", retryable: false },
  rail_not_configured: { status: 422, title: "No adapter is configured for this rail", retryable: false },
  clock_goes_back: { status: 422, title: "The clock can't go back", retryable: false },
  simulation_not_applicable: {
    status: 422,
    title: "The simulation is not possible",
    retryable: false,
  },
  rate_limited: { status: 429, title: "Too many requests", retryable: true },
  internal_error: { status: 500, title: "The service failed", retryable: true },
  service_unavailable: { status: 503, title: "The service is not available", retryable: true },
  bank_statement_refused: { status: 503, title: "The bank's statement can't be true", retryable: true },
  upstream_timeout: { status: 504, title: "The service did not answer in time", retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ErrorCode = keyof typeof errorCatalogue;

export interface FieldFault {
  /** RFC 6901 JSON pointer into the body, or `?name` for a query parameter. */
  readonly pointer: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * A business refusal. A request handler throws it: its transaction rolls back, and the tenant gets problem+json.
 * `detail` says what to do.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ErrorCode;
  readonly errors: readonly FieldFault[] | undefined;
  readonly context: Readonly<Record<string, unknown>> | undefined;
  constructor(
    code: ErrorCode,
    detail: string,
    more: { errors?: readonly FieldFault[]; context?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors;
    this.context = more.context;
  }
}

/** The code with which `check` refuses; null if it does not. Any other error is thrown on. */
export function refusalCodeOf(check: () => unknown): ErrorCode | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
