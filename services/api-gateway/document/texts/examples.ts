/** Adds an example to every body and every answer of the document. */
import {
  approvedOrder,
  cancelledOrder,
  draftOrder,
  orderExamples,
  paymentOrderCreates,
} from "../../../../contracts/http/examples/orders.ts";
import { eventExamples } from "../../../../contracts/http/examples/events.ts";
import { inboxExamples } from "../../../../contracts/http/examples/inbox.ts";
import { policyExamples } from "../../../../contracts/http/examples/approval-policies.ts";
import { inboundExamples } from "../../../../contracts/http/examples/inbound.ts";
import { obligationExamples } from "../../../../contracts/http/examples/obligations.ts";
import {
  ledgerTransactionExamples,
  reversedTransaction,
  voidedTransaction,
} from "../../../../contracts/http/examples/ledger-transactions.ts";
import { apiKeyExamples } from "../../../../contracts/http/examples/api-keys.ts";
import { closedAccount, ledgerAccountExamples } from "../../../../contracts/http/examples/ledger-accounts.ts";
import {
  dismissedChange,
  proposedChangeExamples,
} from "../../../../contracts/http/examples/proposed-changes.ts";
import { peopleExamples } from "../../../../contracts/http/examples/people.ts";
import { refusedRequestExamples } from "../../../../contracts/http/examples/refused-requests.ts";
import { proofExamples } from "../../../../contracts/http/examples/ledger-proof.ts";
import { cancelledReplay, replayExamples } from "../../../../contracts/http/examples/replays.ts";
import { reconciliationExamples } from "../../../../contracts/http/examples/reconciliations.ts";
import { diagnosisExamples } from "../../../../contracts/http/examples/diagnosis.ts";
import { listedDelivery, webhookExamples } from "../../../../contracts/http/examples/webhooks.ts";
import { webhookStatementExamples } from "../../../../contracts/http/examples/webhook-statement.ts";
import { searchExamples } from "../../../../contracts/http/examples/search.ts";
import { timelineExamples } from "../../../../contracts/http/examples/timeline.ts";
import { testSinkExamples } from "../../../../contracts/http/examples/test-sinks.ts";
import { simulationExamples } from "../../../../contracts/http/examples/simulations.ts";
import type { JsonSchema } from "../json-schema.ts";

const bySchema: Readonly<Record<string, unknown>> = {
  NoBody: {},
  ...apiKeyExamples,
  ...orderExamples,
  ...ledgerTransactionExamples,
  ...inboundExamples,
  ...inboxExamples,
  ...policyExamples,
  ...eventExamples,
  ...obligationExamples,
  ...ledgerAccountExamples,
  ...peopleExamples,
  ...refusedRequestExamples,
  ...proposedChangeExamples,
  ...proofExamples,
  ...reconciliationExamples,
  ...replayExamples,
  ...simulationExamples,
  ...testSinkExamples,
  ...searchExamples,
  ...timelineExamples,
  ...diagnosisExamples,
  ...webhookExamples,
  ...webhookStatementExamples,
};

/** Examples of operations for which the schema's own example would be wrong. */
const byOperation: Readonly<Record<string, unknown>> = {
  getOpenApi: { openapi: "3.1.0", info: { title: "Quittance", version: "v1" }, paths: {} },
  approvePaymentOrder: approvedOrder,
  cancelPaymentOrder: cancelledOrder,
  cancelWebhookReplay: cancelledReplay,
  denyPaymentOrder: { ...cancelledOrder, cancelReason: "no such invoice" },
  updatePaymentOrder: draftOrder,
  dismissProposedChange: dismissedChange,
  voidLedgerTransaction: voidedTransaction,
  reverseLedgerTransaction: reversedTransaction,
  closeLedgerAccount: closedAccount,
  listWebhooks: { data: [listedDelivery], nextCursor: null, hasMore: false },
};

export interface MediaType {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

/** Adds the body's example, if its schema has one: a test names the schemas without an example. */
export function exemplifyBody(media: MediaType, translate: Translate): void {
  const name = nameOf(media.schema);
  if (name?.startsWith("PaymentOrderCreate") === true) {
    media.examples = Object.fromEntries(
      Object.entries(paymentOrderCreates).map(([key, { summary, value }]) => [
        key,
        { summary, value: isChanged(name) ? translate(value) : value },
      ]),
    );
    return;
  }
  setExample(media, exampleOf(media.schema), translate);
}

/** Adds the answer's example: the operation's own, the schema's, or a page with one item. */
export function exemplifyAnswer(
  media: MediaType,
  operationId: string,
  components: Readonly<Record<string, JsonSchema>>,
  translate: Translate,
): void {
  const name = nameOf(media.schema);
  const page = name === undefined ? undefined : itemOfPage(components[name]);
  const value =
    byOperation[operationId] ??
    exampleOf(media.schema) ??
    (page === undefined ? undefined : { data: [exampleOf(page)], nextCursor: null, hasMore: false });
  setExample(media, value, translate);
}

/** Converts a value of v1 into a version's form. */
export type Translate = (value: unknown) => unknown;

function setExample(media: MediaType, value: unknown, translate: Translate): void {
  if (value !== undefined) media.example = isChanged(nameOf(media.schema)) ? translate(value) : value;
}

/** Schemas that a version changes have the version in their names. */
function isChanged(name: string | undefined): boolean {
  return /V\d+$/.test(name ?? "");
}

/** Undefined for a schema that has none. */
function exampleOf(schema: JsonSchema | undefined): unknown {
  const name = nameOf(schema);
  if (name !== undefined) return bySchema[name.replace(/V\d+$/, "")];
  const item = schema?.["items"] as JsonSchema | undefined;
  const one = item === undefined ? undefined : exampleOf(item);
  return one === undefined ? undefined : [one];
}

function itemOfPage(schema: JsonSchema | undefined): JsonSchema | undefined {
  const { data, nextCursor } = (schema?.["properties"] ?? {}) as Record<string, JsonSchema>;
  return nextCursor === undefined ? undefined : (data?.["items"] as JsonSchema | undefined);
}

function nameOf(schema: JsonSchema | undefined): string | undefined {
  return (schema?.["$ref"] as string | undefined)?.split("/").at(-1);
}
