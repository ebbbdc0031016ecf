/** Moves parameters and refusals that several operations share into components. */
import { idPrefixes } from "../../../contracts/ids/ids.ts";
import type { MediaType } from "./texts/examples.ts";
import type { Parameter } from "./parameters.ts";

export interface Answer {
  description?: string;
  content?: Record<string, MediaType>;
  $ref?: string;
}
interface Operation {
  parameters?: Parameter[];
  responses: Record<string, Answer>;
}
interface Shared {
  readonly parameters: Record<string, unknown>;
  readonly responses: Record<string, unknown>;
}

/**
 * Component names of shared refusals, by status and by the codes in the order in which an operation lists them. If an
 * entry matches no operation, document.spec.ts fails.
 */
const refusalNames: Readonly<Record<string, string>> = {
  "400 unknown_parameter invalid_request": "InvalidPath",
  "400 unknown_parameter malformed_json invalid_request invalid_field unknown_field invalid_idempotency_key":
    "InvalidDeletion",
  "400 unknown_parameter invalid_request invalid_field invalid_cursor cursor_filter_mismatch": "InvalidQuery",
  "400 unknown_parameter invalid_request invalid_field invalid_cursor cursor_filter_mismatch missing_field":
    "IncompleteQuery",
  "400 unknown_parameter malformed_json invalid_request missing_field invalid_field unknown_field":
    "InvalidBodyOfRead",
  "400 unknown_parameter malformed_json invalid_request missing_field invalid_field unknown_field invalid_idempotency_key":
    "InvalidBody",
  "401 api_key_missing api_key_invalid session_ended tenant_inactive": "Unauthorized",
  "403 cross_site_request no_role_in_mode insufficient_scope ip_not_allowed": "Forbidden",
  "403 cross_site_request no_role_in_mode insufficient_scope ip_not_allowed own_password_required":
    "ForbiddenToWrite",
  "403 cross_site_request no_role_in_mode insufficient_scope ip_not_allowed own_password_required step_up_required":
    "StepUpRequired",
  "403 cross_site_request no_role_in_mode insufficient_scope ip_not_allowed own_password_required step_up_required self_approval_not_allowed":
    "ForbiddenToDecide",
  "403 cross_site_request no_role_in_mode insufficient_scope ip_not_allowed simulation_requires_test_key":
    "TestKeyRequired",
  "403 cross_site_request no_role_in_mode insufficient_scope ip_not_allowed own_password_required simulation_requires_test_key":
    "TestKeyRequiredToWrite",
  "404 not_found": "NotFound",
  "409 idempotency_key_reused idempotency_in_progress": "IdempotencyConflict",
  "409 idempotency_key_reused idempotency_in_progress external_id_in_use": "ExternalIdConflict",
  "409 idempotency_key_reused idempotency_in_progress invalid_state_transition": "StateConflict",
  "409 idempotency_key_reused idempotency_in_progress transaction_owned invalid_state_transition":
    "TransactionConflict",
  "412 precondition_failed": "PreconditionFailed",
  "413 body_too_large": "BodyTooLarge",
  "415 unsupported_media_type": "UnsupportedMediaType",
  "422 counterparty_account_missing counterparty_unverified counterparty_archived counterparty_change_pending basis_is_demo_data basis_missing_input amount_above_rail_limit direction_not_supported text_not_supported invalid_routing_number invalid_wallet_address ledger_account_not_found ledger_account_closed system_account_not_postable same_account effective_date_invalid velocity_limit_exceeded rail_not_configured simulation_not_applicable":
    "SubmissionRefused",
  "422 balance_out_of_range": "BalanceOutOfRange",
  "422 counterparty_archived": "ArchivedCounterparty",
  "422 invalid_routing_number invalid_wallet_address": "InvalidAccount",
  "422 simulation_not_applicable": "SimulationNotApplicable",
  "422 simulation_not_applicable invalid_routing_number": "SimulationRefused",
  "422 system_account_not_postable balance_out_of_range": "SystemAccount",
  "429 rate_limited": "RateLimited",
  "500 internal_error": "InternalError",
  "503 service_unavailable": "ServiceUnavailable",
  "504 upstream_timeout": "UpstreamTimeout",
};

/** Replaces shared parameters and refusals by references, and returns their components. */
export function shareComponents(operations: readonly Operation[]): Shared {
  return { parameters: shareParameters(operations), responses: shareRefusals(operations) };
}

function shareParameters(operations: readonly Operation[]): Record<string, unknown> {
  const all = operations.flatMap(({ parameters = [] }) => parameters);
  const bySame = Map.groupBy(all, (parameter) => JSON.stringify(parameter));
  const shared: Record<string, unknown> = {};
  for (const same of bySame.values()) {
    const [first] = same;
    if (first === undefined || same.length < 2) continue;
    const name = componentName(first);
    if (name in shared)
      throw new Error(
        `parameter ${name} has two descriptions: use one (${JSON.stringify([shared[name], first])})`,
      );
    shared[name] = { ...first };
    for (const parameter of same) refer(parameter, `#/components/parameters/${name}`);
  }
  return sorted(shared);
}

/** `createdAt[gte]` becomes CreatedAtGte; a path's id is named after its resource, such as PaymentOrderInPath. */
function componentName({ name, in: where, example }: Parameter): string {
  const [resource] =
    Object.entries(idPrefixes).find(([, prefix]) => String(example).startsWith(`${prefix}_`)) ?? [];
  const words = where === "path" && resource !== undefined ? `${resource}-in-path` : name;
  return words.replaceAll(/(?:^|[^A-Za-z]+)([A-Za-z]|$)/g, (_match, letter: string) => letter.toUpperCase());
}

function shareRefusals(operations: readonly Operation[]): Record<string, unknown> {
  const shared: Record<string, unknown> = {};
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const codes = (response.description ?? "").replaceAll("`", "");
      const name = refusalNames[`${status} ${codes}`];
      if (name === undefined) continue;
      shared[name] ??= { ...response };
      refer(response, `#/components/responses/${name}`);
    }
  }
  return sorted(shared);
}

function refer(target: object, $ref: string): void {
  for (const key of Object.keys(target)) delete (target as Record<string, unknown>)[key];
  Object.assign(target, { $ref });
}

function sorted(components: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
}
