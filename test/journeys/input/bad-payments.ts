/** Payments that are refused before any money is reserved: what rails and accounts don't allow. */
import { newId } from "../../../contracts/ids/ids.ts";
import { type BadRequest, post, refusals } from "./bad-requests.ts";

const toWallet = (counterpartyRoutingNumber: string, counterpartyAccountNumber: string) =>
  post({ rail: "Usdc", counterpartyRoutingNumber, counterpartyAccountNumber });

export const controls: readonly BadRequest[] = [
  ...refusals(422, "invalid_routing_number", [
    ["a bad ABA checksum", post({ counterpartyRoutingNumber: "790001006" }), "/counterpartyRoutingNumber"],
    ["a routing number of zeros", post({ counterpartyRoutingNumber: "000000000" })],
    ["eight digits of routing", post({ counterpartyRoutingNumber: "79000100" })],
  ]),
  ...refusals(422, "direction_not_supported", [
    ["a Debit on Rtp", post({ rail: "Rtp", direction: "Debit" }), "/direction"],
    ["a Debit on Wire", post({ rail: "Wire", direction: "Debit" }), "/direction"],
    ["a Debit on Usdc", post({ rail: "Usdc", direction: "Debit" }), "/direction"],
  ]),
  ...refusals(422, "ledger_account_not_found", [
    ["an unknown account by id", post({ ledgerAccountName: undefined, ledgerAccountId: newId("la") })],
    ["another resource's id", post({ ledgerAccountName: undefined, ledgerAccountId: newId("po") })],
    ["an unknown account by name", post({ ledgerAccountName: "Nobody's" })],
  ]),
  ...refusals(422, "system_account_not_postable", [
    ["the service's own account", post({ ledgerAccountName: "Settlement cash" })],
  ]),
  ...refusals(400, "invalid_field", [
    ["a Debit-normal account", post({ ledgerAccountName: "Assets" })],
    ["an account number of three", post({ counterpartyAccountNumber: "123" }), "/counterpartyAccountNumber"],
  ]),
  ...refusals(422, "counterparty_account_missing", [
    ["no counterparty account", post({ counterpartyAccountNumber: undefined }), "/counterpartyAccountNumber"],
    ["no counterparty name", post({ counterpartyName: undefined }), "/counterpartyName"],
    ["no counterparty routing", post({ counterpartyRoutingNumber: undefined })],
    ["no counterparty on Book", post({ rail: "Book", counterpartyAccountNumber: undefined })],
  ]),
  ...refusals(422, "same_account", [
    ["the same account on both sides", post({ rail: "Book", counterpartyAccountNumber: "Operating" })],
  ]),
  ...refusals(422, "invalid_wallet_address", [
    ["a wallet that is none", toWallet("base", "0x12")],
    ["a wallet with a wrong EIP-55 case", toWallet("base", "0x52908400098527886E0F7030069857D2E4169Ee7")],
    ["a chain that is none", toWallet("bitcoin", "0x52908400098527886E0F7030069857D2E4169EE7")],
  ]),
  ...refusals(422, "amount_above_rail_limit", [
    [
      "more than Same-Day ACH carries",
      post({ rail: "SameDayAch", amountCents: 100_000_001 }),
      "/amountCents",
    ],
    ["more than RTP carries", post({ rail: "Rtp", amountCents: 1_000_000_001 })],
  ]),
  ...refusals(422, "effective_date_invalid", [
    ["a date that is over", post({ effectiveDate: "2020-01-02" }), "/effectiveDate"],
    ["a date too far ahead", post({ effectiveDate: "2099-01-02" }), "/effectiveDate"],
  ]),
  ...refusals(422, "basis_is_demo_data", [["demo data", post({ basis: "Demo" }), "/basis"]]),
  ...refusals(422, "basis_missing_input", [["a missing input", post({ basis: "Missing" }), "/basis"]]),
  ...refusals(422, "simulation_not_applicable", [
    ["a return code that can't happen", post({ counterpartyAccountNumber: "100001" })],
  ]),
];
