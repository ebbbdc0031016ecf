import { describe, expect, it } from "vitest";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { errorCatalogue } from "../../../contracts/errors.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { loggedErrors } from "../../stack/logged-errors.ts";
import { repeated } from "../../world/patience/patiently.ts";
import { OwnWorld } from "../../world/system/own-world.ts";
import { good } from "./bad-requests.ts";
import { nastyParameters, nastyValues } from "./nasty-values.ts";

const world = await forThisFile(OwnWorld.start());
await world.payerNamed("Operating");

interface Answered {
  readonly sent: string;
  readonly status: number;
  readonly code: string | undefined;
}

async function answerTo(
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const answer = await repeated(() =>
    world.send<{ code?: string } | null>(world.tenant.keys.admin, method, path, { body, headers }),
  );
  const sent = `${method} ${path} ${JSON.stringify(body) ?? ""}`.slice(0, 300);
  return { sent, status: answer.status, code: answer.body?.code };
}

/** An answer that the caller can act on: success, or a refusal below 500 with a code of the catalogue. */
function isUnderstood({ status, code }: Answered): boolean {
  if (status < 300) return true;
  return status < 500 && code !== undefined && code in errorCatalogue;
}

/** Sends several at a time, and returns the unexpected answers. */
async function misunderstood(requests: readonly (() => Promise<Answered>)[]): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (let from = 0; from < requests.length; from += 20) {
    answers.push(...(await Promise.all(requests.slice(from, from + 20).map((send) => send()))));
  }
  return answers.filter((answer) => !isUnderstood(answer));
}

const bodies: readonly { path: string; body: Record<string, unknown> }[] = [
  {
    path: "/v1/payment-orders",
    body: {
      ...good(),
      ledgerAccountId: undefined,
      currency: "USD",
      externalId: "e",
      description: "d",
      statementDescriptor: "s",
      effectiveDate: newYorkDate(new Date()),
      purpose: "p",
      basis: "Actual",
      metadata: {},
      submit: true,
    },
  },
  {
    path: "/v1/ledger-accounts",
    body: {
      name: "n",
      currency: "USD",
      normalBalance: "Credit",
      overdraft: "Refused",
      externalId: "e",
      description: "d",
      metadata: {},
    },
  },
  {
    path: "/v1/webhook-endpoints",
    body: { url: "http://127.0.0.1:9/", eventTypes: ["test.event"], description: "d", metadata: {} },
  },
  { path: "/v1/test-sinks", body: { respond: [200], delayMs: 0 } },
];

/** One of each kind of counterparty: a bank account, an account of the book, a wallet. */
const rails = ["Ach", "Book", "Usdc"];
const filters = [
  "status",
  "rail",
  "direction",
  "externalId",
  "createdAt[gte]",
  "metadata[a]",
  "metadata[a%00b]",
];
const lists = {
  "/v1/payment-orders": ["limit", "cursor", ...filters, "other"],
  "/v1/ledger-accounts": ["limit", "cursor", "name", "other"],
  "/v1/balances": ["limit", "cursor", "other"],
  "/v1/webhooks": ["limit", "cursor", "status", "eventType", "endpointId", "eventId", "objectId", "other"],
  "/v1/webhook-endpoints": ["limit", "cursor", "other"],
};
const paths = (id: string): readonly (readonly ["GET" | "POST", string])[] => [
  ["GET", `/v1/payment-orders/${id}`],
  ["POST", `/v1/payment-orders/${id}/submit`],
  ["POST", `/v1/payment-orders/${id}/approve`],
  ["POST", `/v1/payment-orders/${id}/cancel`],
  ["POST", `/v1/simulations/payment-orders/${id}/settle`],
  ["POST", `/v1/simulations/payment-orders/po_1/${id}`],
  ["GET", `/v1/ledger-accounts/${id}`],
  ["GET", `/v1/ledger-accounts/${id}/entries`],
  ["GET", `/v1/webhooks/${id}`],
  ["POST", `/v1/webhooks/${id}/retry`],
  ["GET", `/v1/test-sinks/${id}/requests`],
];

describe("unusual input is accepted, or refused with a code", () => {
  it.each(bodies)("in each member of a body: POST $path", async ({ path, body }) => {
    const requests = Object.keys(body).flatMap((member) =>
      nastyValues.map((value) => () => answerTo("POST", path, { ...body, [member]: value })),
    );
    expect(await misunderstood(requests)).toEqual([]);
  });

  it.each(rails)("in the counterparty members of %s", async (rail) => {
    const counterparty = ["counterpartyAccountNumber", "counterpartyRoutingNumber", "counterpartyName"];
    const requests = [...counterparty, "amountCents"].flatMap((member) =>
      nastyValues.map(
        (value) => () => answerTo("POST", "/v1/payment-orders", good({ rail, [member]: value })),
      ),
    );
    expect(await misunderstood(requests)).toEqual([]);
  });

  it("as a body of an action", async () => {
    const path = "/v1/payment-orders/po_1/cancel";
    const requests = nastyValues.map((reason) => () => answerTo("POST", path, { reason }));
    expect(await misunderstood(requests)).toEqual([]);
  });

  it.each(Object.entries(lists))("in each parameter of a list: GET %s", async (path, parameters) => {
    const requests = parameters.flatMap((name) =>
      nastyParameters.map((value) => () => answerTo("GET", `${path}?${name}=${value}`)),
    );
    expect(await misunderstood(requests)).toEqual([]);
  });

  it("as an id in a path", async () => {
    const requests = nastyParameters.flatMap((id) => paths(id).map((request) => () => answerTo(...request)));
    expect(await misunderstood(requests)).toEqual([]);
  });

  it("as a handmade cursor with the filter digest of a real one", async () => {
    for (const name of ["one", "two"]) await world.post("/v1/ledger-accounts", { name });
    const page = await world.get<{ nextCursor: string }>("/v1/ledger-accounts?limit=1");
    const [, mark] = JSON.parse(Buffer.from(page.body.nextCursor, "base64url").toString()) as string[];
    const forged = nastyValues.map((value) =>
      Buffer.from(JSON.stringify([value, mark])).toString("base64url"),
    );
    const requests = Object.keys(lists).flatMap((path) =>
      forged.map((cursor) => () => answerTo("GET", `${path}?cursor=${cursor}`)),
    );
    expect(await misunderstood(requests)).toEqual([]);
  });

  it.each(["idempotency-key", "prefer", "traceparent", "tracestate", "accept", "if-match", "x-request-id"])(
    "as a header: %s",
    async (header) => {
      const short = ["", " ", "wait=", "wait=-1", "wait=9e9", "00-0-0-0", "é", "a,b"];
      const values = [...short, "x".repeat(300), "x".repeat(9_000)];
      const body = { name: "h".repeat(101) };
      const requests = values.map(
        (value) => () => answerTo("POST", "/v1/ledger-accounts", body, { [header]: value }),
      );
      expect(await misunderstood(requests)).toEqual([]);
    },
  );

  it("and no service logs an error", () => {
    expect(loggedErrors(world.lines)).toEqual([]);
  });
});
