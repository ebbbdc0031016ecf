import type { ErrorCode } from "../../../../contracts/errors.ts";

/** Refusals of a submission. A create answers with them only if it submits at once. */
export const controls: readonly ErrorCode[] = [
  "counterparty_account_missing",
  "counterparty_unverified",
  "counterparty_archived",
  "counterparty_change_pending",
  "basis_is_demo_data",
  "basis_missing_input",
  "amount_above_rail_limit",
  "direction_not_supported",
  "text_not_supported",
  "invalid_routing_number",
  "invalid_wallet_address",
  "ledger_account_not_found",
  "ledger_account_closed",
  "system_account_not_postable",
  "same_account",
  "effective_date_invalid",
  "velocity_limit_exceeded",
  "rail_not_configured",
  "simulation_not_applicable",
];
