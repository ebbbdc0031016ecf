/** Requests that must be refused, each with its expected answer. */
import type { ErrorCode } from "../../contracts/errors.ts";
import { newId } from "../../contracts/ids/ids.ts";
import type { PartName } from "../../scripts/local/seed.ts";

/** By default POST /v1/payment-orders as the maker. The bytes are sent unchanged. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly as?: PartName | null;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request, the answer's status and code, and the pointer of the first error. */
export type BadRequest = readonly [
  what: string,
  sent: Sent,
  status: number,
  code: ErrorCode,
  pointer?: string,
];

/** A valid order on the account Operating; undefined members are left out. */
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

/** The same order with one error. */
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
