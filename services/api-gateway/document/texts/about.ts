/** The introduction of the OpenAPI document. */
import type { ApiVersion } from "../../../../contracts/http/versions.ts";

const intro = `One object, the payment order, moves money over ACH, Same Day ACH, RTP, wire, book transfer and USDC. Every movement is a balanced set of entries in an append-only ledger. Every status change is sent as a signed webhook.

- **Keys.** Send your API key in \`X-API-Key\`. A key belongs to one tenant and one mode: \`qt_test_…\` moves simulated money, \`qt_live_…\` real money. The two modes share nothing.
- **Money** is in integer cents. Ids have a prefix: \`po_…\` is a payment order, \`la_…\` a ledger account.
- **Writes** take an \`Idempotency-Key\`. The same key with the same body returns the first answer again, with \`Idempotent-Replayed: true\`.
- **Lists** are newest first. Follow \`Link: rel="next"\` or pass \`nextCursor\` as \`cursor\`, with the same filters. Filters are combined with AND.
- **Errors** are \`application/problem+json\`: \`code\` for programs, \`detail\` for people. A request refused with 4xx has changed nothing; after a 5xx, a write may have been carried out.
- **Answers may grow.** Ignore fields that you don't know, and expect new enum values.`;

/** In the order in which the document shows them. Every tag of a route has an entry here. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  "Payment orders":
    "One payment, on any rail: Draft → Submitted → Pending (money held) → Processing (at its rail) → Completed, Failed, Returned or Cancelled.",
  Search: "What a person types, found in every service.",
  Inbox: "What waits for a decision: payment orders, and proposed policies, API keys and roles.",
  "Approval policy":
    "How many principals must approve an order before it goes to its rail. Another principal must approve a looser policy.",
  Counterparties:
    "The people and companies that you pay and collect from, with one account per rail. Account numbers are encrypted.",
  "Ledger accounts": "Your accounts in the double-entry ledger, and their entries.",
  "Ledger transactions": "Balanced movements between your own accounts.",
  Obligations:
    "Liabilities with a fixed amount, such as a filed tax return: Open → Fixed (booked) → Remitting (an order pays it) → Relieved (nothing outstanding).",
  "Virtual accounts":
    "Account numbers of your own. Incoming money is matched to a ledger account automatically.",
  "Inbound payments":
    "Money that others sent to you. Money that can't be matched is in Suspense until you assign it.",
  Balances: "All balances of the book, from one snapshot.",
  Reconciliations:
    "The comparison of the ledger with the bank's statement, for every banking day: matched, in transit, unmatched, and the difference.",
  "Ledger proof":
    "The evidence for the book: the hash chain of its journals, its trial balance, and how far the auditor has checked it.",
  "Webhook endpoints": "The URLs that receive your events, signed.",
  Webhooks: "Deliveries of events to your endpoints: attempts, dead letters, retries.",
  "Test sinks": "Receivers inside the service, to try webhooks.",
  Simulations: "Control of the simulated rails and bank. Test keys only.",
  "API keys": "The keys of this tenant and mode: create, rotate, revoke.",
  Requests: "Which requests were refused, and why.",
  People: "Who works for the tenant, and what they may do.",
  Documents: "The description of this API.",
  Events:
    "What happened in the book: events to read, their types, and the bodies that your endpoints receive.",
};

/** The parts of the document that come from no route. */
export function commonParts(version: ApiVersion) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Quittance",
      summary: "Payment operations a company can trust with its money",
      version,
      description: intro,
      contact: { name: "Quittance", url: "https://docs.quittance.example" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: "/", description: "The host that serves this document" }],
    externalDocs: {
      description: "Every error code, and what clears it",
      url: "https://docs.quittance.example/errors/",
    },
  };
}

export const securitySchemes = {
  ApiKey: {
    type: "apiKey" as const,
    in: "header",
    name: "X-API-Key",
    description: "`qt_test_…` or `qt_live_…`. Each operation names the scope that it needs.",
  },
};
