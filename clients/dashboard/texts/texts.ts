/** Every text that a reader of the dashboard sees, in one catalogue; one file for each subject. */
import { apiKeyTexts } from "./api-keys.ts";
import { approvalTexts } from "./approvals.ts";
import { inboundTexts } from "./inbound.ts";
import { ledgerTexts } from "./ledger.ts";
import { orderPageTexts } from "./order.ts";
import { obligationTexts } from "./obligations.ts";
import { partTexts } from "./parts.ts";
import { newOrderTexts } from "./new-order.ts";
import { passkeyTexts } from "./passkeys.ts";
import { auditTexts, passwordTexts, peopleTexts, sessionTexts } from "./people.ts";
import { policyTexts } from "./policy.ts";
import { proposalTexts } from "./proposals.ts";
import { reconciliationTexts } from "./reconciliation.ts";
import { orderTexts } from "./orders.ts";
import { requestTexts } from "./requests.ts";
import { simulatorTexts } from "./simulator.ts";
import { virtualAccountTexts } from "./virtual-accounts.ts";
import { webhookTexts } from "./webhooks.ts";
import { failureTexts, shellTexts, signInTexts } from "./shell.ts";

export const texts = {
  shell: shellTexts,
  signIn: signInTexts,
  approvals: approvalTexts,
  orders: orderTexts,
  orderPage: orderPageTexts,
  newOrder: newOrderTexts,
  inbound: inboundTexts,
  obligations: obligationTexts,
  ledger: ledgerTexts,
  virtualAccounts: virtualAccountTexts,
  reconciliation: reconciliationTexts,
  passkeys: passkeyTexts,
  policy: policyTexts,
  apiKeys: apiKeyTexts,
  people: peopleTexts,
  audit: auditTexts,
  sessions: sessionTexts,
  password: passwordTexts,
  proposals: proposalTexts,
  requests: requestTexts,
  simulator: simulatorTexts,
  webhooks: webhookTexts,
  parts: partTexts,
  failures: failureTexts,
} as const;
