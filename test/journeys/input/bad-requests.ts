/** Requests that must be refused, each with its expected answer. */
import type { ErrorCode } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import type { PartName } from "../../../scripts/local/demo/seed.ts";

/** By default POST /v1/payment-orders as the maker. The bytes are sent unchanged. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly as?: PartName | null;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export type BadRequest = readonly [
  what: string,
  sent: Sent,
  status: number,
  code: ErrorCode,
  pointer: string | undefined,
];

/** Requests that are refused with the same status and code; each may name the pointer of its first error. */
export const refusals = (
  status: number,
  code: ErrorCode,
  requests: readonly (readonly [what: string, sent: Sent, pointer?: string])[],
) => requests.map(([what, sent, pointer]): BadRequest => [what, sent, status, code, pointer]);

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
  ...refusals(401, "api_key_missing", [
    ["no key", { ...post({}), as: null }],
    ["an empty key", { ...post({}), headers: { "x-api-key": "" } }],
  ]),
  ...refusals(401, "api_key_invalid", [
    ["text that is no key", { ...post({}), headers: { "x-api-key": "secret" } }],
  ]),
  ...refusals(403, "insufficient_scope", [["a key without the scope", { ...post({}), as: "approver1" }]]),
];

export const shapes: readonly BadRequest[] = [
  ...refusals(400, "malformed_json", [
    ["broken JSON", { body: '{"direction": "Credit",' }],
    ["bytes that are not UTF-8", { body: new Uint8Array([0x7b, 0xff, 0x7d]) }],
  ]),
  ...refusals(400, "missing_field", [["no body", {}]]),
  ...refusals(400, "invalid_request", [
    ["an array", { body: "[]" }],
    ["a bare string", { body: '"pay"' }],
  ]),
  ...refusals(415, "unsupported_media_type", [
    ["another media type", { body: "a=1", headers: { "content-type": "text/plain" } }],
  ]),
  ...refusals(413, "body_too_large", [["more than 1 MiB", post({ description: "x".repeat(1_048_600) })]]),
  ...refusals(400, "unknown_field", [
    ["an unknown field", post({ amount: 100 }), "/amount"],
    ["a prototype's name", { body: '{"__proto__": {"amountCents": 1}}' }],
  ]),
  ...refusals(400, "invalid_field", [
    ["an unknown field deep inside", post({ metadata: { a: { b: 1 } } }), "/metadata/a"],
    ["a NUL in a text", post({ description: "a\0b" }), "/description"],
    ["a limit of 0", { method: "GET", path: "/v1/payment-orders?limit=0" }, "?limit"],
    ["a NUL in a parameter", { method: "GET", path: "/v1/payment-orders?externalId=%00" }],
  ]),
  ...refusals(400, "unknown_parameter", [
    ["an unknown parameter", { method: "GET", path: "/v1/payment-orders?colour=red" }, "?colour"],
  ]),
  ...refusals(400, "invalid_idempotency_key", [
    ["an empty Idempotency-Key", { ...post({}), headers: { "idempotency-key": "" } }],
    ["an Idempotency-Key of 256", { ...post({}), headers: { "idempotency-key": "k".repeat(256) } }],
  ]),
  ...refusals(404, "route_not_found", [["a path that is none", { method: "GET", path: "/v1/payments" }]]),
  ...refusals(405, "method_not_allowed", [
    ["a method that is none", { method: "DELETE", path: "/v1/payment-orders" }],
  ]),
];

export const amounts: readonly BadRequest[] = [
  ...refusals(400, "invalid_field", [
    ["a float", post({ amountCents: 10.5 }), "/amountCents"],
    ["a string", post({ amountCents: "100" }), "/amountCents"],
    ["zero", post({ amountCents: 0 }), "/amountCents"],
    ["less than zero", post({ amountCents: -100 }), "/amountCents"],
    ["one cent too many", post({ amountCents: 1_000_000_000_000 }), "/amountCents"],
    [
      "an unsafe integer",
      { body: JSON.stringify(good()).replace("100", "9007199254740993") },
      "/amountCents",
    ],
    ["1e400", { body: JSON.stringify(good()).replace("100", "1e400") }, "/amountCents"],
  ]),
  ...refusals(400, "missing_field", [
    ["none", post({ amountCents: undefined }), "/amountCents"],
    ["null", post({ amountCents: null }), "/amountCents"],
  ]),
];

export const members: readonly BadRequest[] = [
  ...refusals(400, "invalid_field", [
    ["a direction in lower case", post({ direction: "credit" }), "/direction"],
    ["a rail in capitals", post({ rail: "ACH" }), "/rail"],
    ["another currency", post({ currency: "EUR" }), "/currency"],
    ["an account named twice", post({ ledgerAccountId: newId("la") }), "/ledgerAccountId"],
    [
      "51 pairs of metadata",
      post({ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${String(i)}`, "v"])) }),
      "/metadata",
    ],
    ["a description of 256", post({ description: "x".repeat(256) }), "/description"],
    ["a date that is none", post({ effectiveDate: "2026-02-30" }), "/effectiveDate"],
  ]),
  ...refusals(400, "missing_field", [
    ["no account at all", post({ ledgerAccountName: undefined }), "/ledgerAccountName"],
  ]),
];

export const elsewhere: readonly BadRequest[] = [
  ...refusals(400, "missing_field", [
    ["an account without a name", { path: "/v1/ledger-accounts", body: "{}" }, "/name"],
    ["an endpoint without a URL", { path: "/v1/webhook-endpoints", body: "{}" }, "/url"],
  ]),
  ...refusals(409, "name_taken", [
    [
      "an account's name that is taken",
      { path: "/v1/ledger-accounts", body: JSON.stringify({ name: "Operating" }) },
    ],
    ["a name of the chart", { path: "/v1/ledger-accounts", body: '{"name": "Settlement cash"}' }],
  ]),
  ...refusals(400, "invalid_field", [
    [
      "an endpoint with an unknown type",
      {
        path: "/v1/webhook-endpoints",
        body: JSON.stringify({ url: "http://127.0.0.1:9/", eventTypes: ["payment.done"] }),
      },
      "/eventTypes/0",
    ],
    [
      "an endpoint with a url of 2,049 characters",
      {
        path: "/v1/webhook-endpoints",
        body: JSON.stringify({ url: `https://a.example/${"x".repeat(2_031)}` }),
      },
      "/url",
    ],
    [
      "a rotation with an overlap of more than a week",
      { path: `/v1/webhook-endpoints/${newId("we")}/rotate-secret`, body: '{"overlapHours":169}' },
      "/overlapHours",
    ],
    [
      "a test by another secret than the newest",
      { path: `/v1/webhook-endpoints/${newId("we")}/test`, body: '{"secret":"Oldest"}' },
      "/secret",
    ],
  ]),
  ...refusals(
    400,
    "invalid_field",
    [
      ["webhooks", "endpointId", newId("po")],
      ["webhooks", "eventId", "evt_1"],
      ["virtual-accounts", "ledgerAccountId", "nonsense"],
      ["inbound-payments", "ledgerAccountId", newId("va")],
      ["inbound-payments", "virtualAccountId", newId("la")],
      ["payment-orders", "counterpartyId", newId("la")],
      ["payment-orders", "ledgerAccountId", ""],
      ["ledger-transactions", "ledgerAccountId", newId("lt")],
    ].map(([list, name, id]) => [
      `${String(name)}=${String(id)} in the list of ${String(list)}`,
      { method: "GET", path: `/v1/${String(list)}?${String(name)}=${String(id)}` },
      `?${String(name)}`,
    ]),
  ),
  ...refusals(404, "route_not_found", [
    ["a simulation that is none", { path: `/v1/simulations/payment-orders/${newId("po")}/explode` }],
  ]),
  ...refusals(404, "not_found", [
    ["a simulation of nothing", { path: `/v1/simulations/payment-orders/${newId("po")}/settle` }],
    ["an id that is none", { method: "GET", path: "/v1/payment-orders/po_%00" }],
  ]),
  ...refusals(400, "unknown_field", [
    [
      "an approval with a body",
      { path: `/v1/payment-orders/${newId("po")}/approve`, as: "approver1", body: '{"by": "me"}' },
    ],
  ]),
];
