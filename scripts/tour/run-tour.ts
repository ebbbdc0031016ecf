/** All stops of the tour, in order. What the approval policy in force refuses is skipped, with its reason. */
import type { ApprovalPolicy } from "../../contracts/http/payments/approval-policies.ts";
import { defaultApprovalPolicy } from "../../services/orders/order/approval-policy.ts";
import { throughTime } from "./clock-stops.ts";
import { Guide, type Sandbox } from "./guide.ts";
import { anObligation, moneyComesIn, theBankAgrees } from "./ledger-stops.ts";
import { webhooksAtTheirWorst } from "./webhook-stops.ts";
import { otherEndings, sameKeyTwice, setTheStage, sixRails, theBooksAgree } from "./stops.ts";

/** Throws when the service does not answer as the tour expects. */
export async function runTour(
  sandbox: Sandbox,
  print: (line: string) => void,
): Promise<{ steps: number; skipped: number }> {
  const guide = new Guide(sandbox, print);
  const { body: policy } = await guide.look<ApprovalPolicy>("/v1/approval-policy");
  const different = differences(policy);
  if (different !== "") print(`\nThe approval policy in force differs from the default: ${different}`);
  const stage = await setTheStage(guide, policy);
  await sixRails(guide, stage);
  await otherEndings(guide, stage);
  await sameKeyTwice(guide, stage);
  await anObligation(guide, stage);
  await moneyComesIn(guide, stage);
  await theBooksAgree(guide);
  await theBankAgrees(guide, stage);
  const inClockBook = guide.inClockBook();
  await throughTime(inClockBook);
  await webhooksAtTheirWorst(inClockBook);
  return { steps: guide.steps, skipped: guide.skipped };
}

function differences(policy: ApprovalPolicy): string {
  const usual: Readonly<Record<string, unknown>> = defaultApprovalPolicy;
  return Object.entries(policy)
    .filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(usual[member]))
    .map(([member, value]) => `${member} ${JSON.stringify(value)}`)
    .join(", ");
}
