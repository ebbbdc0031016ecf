/** Requests that must be refused, each with the answer that it gets: the list of bad input, and more. */
import type { ErrorCode } from "../../contracts/errors.ts";
import { newId } from "../../contracts/ids.ts";
import type { PartName } from "../../scripts/local/seed.ts";

/** POST /v1/payment-orders as the maker, unless it says otherwise. The bytes go out as they are. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly as?: PartName | null;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is sent, the answer's status and code, and the member that the first fault points to. */
export type BadRequest = readonly [
  what: string,
  sent: Sent,
  status: number,
  code: ErrorCode,
  pointer?: string,
];

/** An order that is accepted as it stands, on the account Operating; undefined members are left out. */
export const good = (change: Record<string, unknown> = {}) => ({
  direction: "Credit",
  rail: "Ach",
  amountCents: 100,
  ledgerAccountName: "Operating",
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
  ...change,
});

/** The same with one thing wrong. */
export const post = (change: Record<string, unknown>): Sent => ({ body: JSON.stringify(good(change)) });

export const callers: readonly BadRequest[] = [
  ["no key", { ...post({}), as: null }, 401, "api_key_missing"],
  ["an empty key", { ...post({}), headers: { "x-api-key": "" } }, 401, "api_key_missing"],
  ["text that is no key", { ...post({}), headers: { "x-api-key": "secret" } }, 401, "api_key_invalid"],
  ["a key without the scope", { ...post({}), as: "approver1" }, 403, "insufficient_scope"],
];

export const shapes: readonly BadRequest[] = [
  ["broken JSON", { body: '{"direction": "Credit",' }, 400, "malformed_json"],
  ["bytes that are not UTF-8", { body: new Uint8Array([0x7b, 0xff, 0x7d]) }, 400, "malformed_json"],
  ["no body", {}, 400, "missing_field"],
  ["an array", { body: "[]" }, 400, "invalid_request"],
  ["a bare string", { body: '"pay"' }, 400, "invalid_request"],
  [
    "another media type",
    { body: "a=1", headers: { "content-type": "text/plain" } },
    415,
    "unsupported_media_type",
  ],
  ["more than 1 MiB", post({ description: "x".repeat(1_048_600) }), 413, "body_too_large"],
  ["an unknown field", post({ amount: 100 }), 400, "unknown_field", "/amount"],
  ["an unknown field deep inside", post({ metadata: { a: { b: 1 } } }), 400, "invalid_field", "/metadata/a"],
  ["a prototype's name", { body: '{"__proto__": {"amountCents": 1}}' }, 400, "unknown_field"],
  ["a NUL in a text", post({ description: "a\0b" }), 400, "invalid_field", "/description"],
  [
    "an unknown parameter",
    { method: "GET", path: "/v1/payment-orders?colour=red" },
    400,
    "unknown_parameter",
    "?colour",
  ],
  ["a limit of 0", { method: "GET", path: "/v1/payment-orders?limit=0" }, 400, "invalid_field", "?limit"],
  [
    "a NUL in a parameter",
    { method: "GET", path: "/v1/payment-orders?externalId=%00" },
    400,
    "invalid_field",
  ],
  [
    "an empty Idempotency-Key",
    { ...post({}), headers: { "idempotency-key": "" } },
    400,
    "invalid_idempotency_key",
  ],
  [
    "an Idempotency-Key of 256",
    { ...post({}), headers: { "idempotency-key": "k".repeat(256) } },
    400,
    "invalid_idempotency_key",
  ],
  ["a path that is none", { method: "GET", path: "/v1/payments" }, 404, "route_not_found"],
  ["a method that is none", { method: "DELETE", path: "/v1/payment-orders" }, 405, "method_not_allowed"],
];

export const amounts: readonly BadRequest[] = [
  ["a float", post({ amountCents: 10.5 }), 400, "invalid_field", "/amountCents"],
  ["a string", post({ amountCents: "100" }), 400, "invalid_field", "/amountCents"],
  ["zero", post({ amountCents: 0 }), 400, "invalid_field", "/amountCents"],
  ["less than zero", post({ amountCents: -100 }), 400, "invalid_field", "/amountCents"],
  ["null", post({ amountCents: null }), 400, "invalid_field", "/amountCents"],
  ["none", post({ amountCents: undefined }), 400, "missing_field", "/amountCents"],
  ["one cent too many", post({ amountCents: 1_000_000_000_000 }), 400, "invalid_field", "/amountCents"],
  [
    "an unsafe integer",
    { body: JSON.stringify(good()).replace("100", "9007199254740993") },
    400,
    "invalid_field",
    "/amountCents",
  ],
  ["1e400", { body: JSON.stringify(good()).replace("100", "1e400") }, 400, "invalid_field", "/amountCents"],
];

export const members: readonly BadRequest[] = [
  ["a direction in lower case", post({ direction: "credit" }), 400, "invalid_field", "/direction"],
  ["a rail in capitals", post({ rail: "ACH" }), 400, "invalid_field", "/rail"],
  ["another currency", post({ currency: "EUR" }), 400, "invalid_field", "/currency"],
  ["no account at all", post({ ledgerAccountName: undefined }), 400, "missing_field", "/ledgerAccountName"],
  [
    "an account named twice",
    post({ ledgerAccountId: newId("la") }),
    400,
    "invalid_field",
    "/ledgerAccountId",
  ],
  [
    "51 pairs of metadata",
    post({ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${String(i)}`, "v"])) }),
    400,
    "invalid_field",
    "/metadata",
  ],
  ["a description of 256", post({ description: "x".repeat(256) }), 400, "invalid_field", "/description"],
  ["a date that is none", post({ effectiveDate: "2026-02-30" }), 400, "invalid_field", "/effectiveDate"],
];

export const controls: readonly BadRequest[] = [
  [
    "a bad ABA checksum",
    post({ counterpartyRoutingNumber: "790001006" }),
    422,
    "invalid_routing_number",
    "/counterpartyRoutingNumber",
  ],
  [
    "a routing number of zeros",
    post({ counterpartyRoutingNumber: "000000000" }),
    422,
    "invalid_routing_number",
  ],
  ["eight digits of routing", post({ counterpartyRoutingNumber: "79000100" }), 422, "invalid_routing_number"],
  ["a Debit on Rtp", post({ rail: "Rtp", direction: "Debit" }), 422, "direction_not_supported", "/direction"],
  [
    "a Debit on Wire",
    post({ rail: "Wire", direction: "Debit" }),
    422,
    "direction_not_supported",
    "/direction",
  ],
  [
    "a Debit on Usdc",
    post({ rail: "Usdc", direction: "Debit" }),
    422,
    "direction_not_supported",
    "/direction",
  ],
  [
    "an unknown account by id",
    post({ ledgerAccountName: undefined, ledgerAccountId: newId("la") }),
    422,
    "ledger_account_not_found",
  ],
  [
    "another resource's id",
    post({ ledgerAccountName: undefined, ledgerAccountId: newId("po") }),
    422,
    "ledger_account_not_found",
  ],
  ["an unknown account by name", post({ ledgerAccountName: "Nobody's" }), 422, "ledger_account_not_found"],
  [
    "the service's own account",
    post({ ledgerAccountName: "Settlement cash" }),
    422,
    "system_account_not_postable",
  ],
  ["a Debit-normal account", post({ ledgerAccountName: "Assets" }), 400, "invalid_field"],
  [
    "no counterparty account",
    post({ counterpartyAccountNumber: undefined }),
    422,
    "counterparty_account_missing",
    "/counterpartyAccountNumber",
  ],
  [
    "no counterparty name",
    post({ counterpartyName: undefined }),
    422,
    "counterparty_account_missing",
    "/counterpartyName",
  ],
  [
    "no counterparty routing",
    post({ counterpartyRoutingNumber: undefined }),
    422,
    "counterparty_account_missing",
  ],
  [
    "no counterparty on Book",
    post({ rail: "Book", counterpartyAccountNumber: undefined }),
    422,
    "counterparty_account_missing",
  ],
  [
    "the same account on both sides",
    post({ rail: "Book", counterpartyAccountNumber: "Operating" }),
    422,
    "same_account",
  ],
  [
    "an account number of three",
    post({ counterpartyAccountNumber: "123" }),
    400,
    "invalid_field",
    "/counterpartyAccountNumber",
  ],
  [
    "a wallet that is none",
    post({ rail: "Usdc", counterpartyRoutingNumber: "base", counterpartyAccountNumber: "0x12" }),
    422,
    "invalid_wallet_address",
  ],
  [
    "a wallet with a wrong EIP-55 case",
    post({
      rail: "Usdc",
      counterpartyRoutingNumber: "base",
      counterpartyAccountNumber: "0x52908400098527886E0F7030069857D2E4169Ee7",
    }),
    422,
    "invalid_wallet_address",
  ],
  [
    "a chain that is none",
    post({
      rail: "Usdc",
      counterpartyRoutingNumber: "bitcoin",
      counterpartyAccountNumber: "0x52908400098527886E0F7030069857D2E4169EE7",
    }),
    422,
    "invalid_wallet_address",
  ],
  [
    "more than Same-Day ACH carries",
    post({ rail: "SameDayAch", amountCents: 100_000_001 }),
    422,
    "amount_above_rail_limit",
    "/amountCents",
  ],
  [
    "more than RTP carries",
    post({ rail: "Rtp", amountCents: 1_000_000_001 }),
    422,
    "amount_above_rail_limit",
  ],
  ["demo data", post({ basis: "Demo" }), 422, "basis_is_demo_data", "/basis"],
  ["a missing input", post({ basis: "Missing" }), 422, "basis_missing_input", "/basis"],
  [
    "a return code that can't happen",
    post({ counterpartyAccountNumber: "100001" }),
    422,
    "simulation_not_applicable",
  ],
];

export const elsewhere: readonly BadRequest[] = [
  ["an account without a name", { path: "/v1/ledger-accounts", body: "{}" }, 400, "missing_field", "/name"],
  [
    "an account's name that is taken",
    { path: "/v1/ledger-accounts", body: JSON.stringify({ name: "Operating" }) },
    409,
    "name_taken",
  ],
  [
    "a name of the chart",
    { path: "/v1/ledger-accounts", body: '{"name": "Settlement cash"}' },
    409,
    "name_taken",
  ],
  ["an endpoint without a URL", { path: "/v1/webhook-endpoints", body: "{}" }, 400, "missing_field", "/url"],
  [
    "an endpoint with an unknown type",
    {
      path: "/v1/webhook-endpoints",
      body: JSON.stringify({ url: "http://127.0.0.1:9/", eventTypes: ["payment.done"] }),
    },
    400,
    "invalid_field",
    "/eventTypes/0",
  ],
  [
    "a simulation that is none",
    { path: `/v1/simulations/payment-orders/${newId("po")}/explode` },
    404,
    "route_not_found",
  ],
  [
    "a simulation of nothing",
    { path: `/v1/simulations/payment-orders/${newId("po")}/settle` },
    404,
    "not_found",
  ],
  ["an id that is none", { method: "GET", path: "/v1/payment-orders/po_%00" }, 404, "not_found"],
  [
    "an approval with a body",
    { path: `/v1/payment-orders/${newId("po")}/approve`, as: "approver1", body: '{"by": "me"}' },
    400,
    "unknown_field",
  ],
];
