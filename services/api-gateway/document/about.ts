/** What the document says before its first operation. */
import type { ApiVersion } from "../../../contracts/http/versions.ts";

const intro = `Money moves through one object, the payment order, over ACH, Same-Day ACH, RTP, wire, book transfer and USDC. Every movement is balanced entries in an append-only ledger, and every status change a signed webhook.

- **Keys.** Send your API key in \`X-API-Key\`. It belongs to one tenant and one mode: \`qt_test_…\` moves simulated money, \`qt_live_…\` real money. The two share nothing.
- **Money** is integer cents. Ids are a prefix and 26 characters: \`po_…\` is a payment order, \`la_…\` a ledger account.
- **Writes** take an \`Idempotency-Key\`: the same key and body give the first answer again, with \`Idempotent-Replayed: true\`.
- **Lists** are newest first; \`nextCursor\` (also in \`Link\`) leads to the next page, with the same filters.
- **Refusals** are \`application/problem+json\`: \`code\` for programs, \`detail\` for what clears it. What is refused has written nothing.
- **Answers may grow**: ignore members that you don't know, and expect values of enums that you have not seen.`;

/** In the order in which a reader needs them. Every tag of a route has its entry here. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  "Payment orders":
    "One payment, whatever its rail: Draft → Submitted → Pending (money held) → Processing (at its rail) → Completed, Failed, Returned or Cancelled.",
  "Approval policy":
    "How many principals must approve an order before it goes to its rail. A looser policy waits for another principal.",
  Counterparties: "Whom you pay and collect from, with an account per rail. Account numbers are sealed.",
  "Ledger accounts": "Your accounts in the double-entry ledger, and their entries.",
  "Ledger transactions": "Balanced journals of your own.",
  Obligations:
    "Liabilities that become fixed, a filed tax return or what an operator is owed: Open → Fixed (booked) → Remitting (a payment order pays it) → Relieved (nothing outstanding).",
  "Virtual accounts":
    "Account numbers of your own: what is sent to one goes to its ledger account, and says whose it is.",
  "Inbound payments":
    "What others have sent. What can't be attributed lies in Suspense until you assign it; nothing is guessed.",
  Balances: "All balances of the book, from one snapshot.",
  Reconciliations:
    "The ledger compared with the bank's statement, every banking day: what matched, what is in transit, what stands alone, and the difference.",
  "Ledger proof":
    "What proves the book: the chain of its journals, its trial balance, and how far the auditor has gone through.",
  "Webhook endpoints": "Where you want your events, signed.",
  Webhooks: "Deliveries of events to your endpoints: attempts, dead letters, retries.",
  "Test sinks": "Receivers inside the service, to try a webhook against.",
  Simulations: "What the simulated rails do to an order, and their bank to its statement. Test keys only.",
  "API keys": "Keys of this tenant and mode: make, rotate, revoke.",
  Documents: "This document.",
  Events: "What your endpoint receives.",
};

/** Everything of a version's document that no route says. */
export function aboutOf(version: ApiVersion) {
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
      description: "Every refusal, and what clears it",
      url: "https://docs.quittance.example/errors/",
    },
  };
}

export const securitySchemes = {
  ApiKey: {
    type: "apiKey" as const,
    in: "header",
    name: "X-API-Key",
    description: "`qt_test_…` or `qt_live_…`. Each operation names the scope that the key needs.",
  },
};
