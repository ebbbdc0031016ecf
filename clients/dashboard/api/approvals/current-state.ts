/** What something has become that waited for a decision, and by whom. */
import {
  getInboundPayment,
  getLedgerTransaction,
  getPaymentOrder,
  listApiKeyProposals,
  listPolicyProposals,
  listRoleProposals,
} from "../../../typescript/sdk.gen.ts";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import type { Waiting } from "./approvals.ts";
import { bodyOf } from "../client/call.ts";

export interface CurrentState {
  readonly stillWaits: boolean;
  readonly status: string;
  readonly by: string | null;
  readonly reason: string | null;
  /** True if `by` has approved it, whatever it is now. */
  readonly isApproved: boolean;
}

/** Who denied or ended it; of an order that went on, who approved it last. */
export function currentStateOf({
  status,
  awaiting,
  statusHistory,
  cancelReason,
  approval,
}: PaymentOrder): CurrentState {
  // A denied order stays Pending until its hold is released.
  const denial = approval.decision?.outcome === "Denied" ? approval.decision : null;
  const hasEnded = denial !== null || status === "Cancelled" || status === "Failed";
  const lastApprover = approval.approvals.findLast(({ counts }) => counts)?.principal;
  return {
    stillWaits: awaiting === "Approval",
    status: denial === null ? status : "Denied",
    by: denial?.decidedBy ?? (hasEnded ? statusHistory.at(-1)?.actor : lastApprover) ?? null,
    reason: cancelReason,
    isApproved: !hasEnded,
  };
}

const newest = { query: { limit: 100 } } as const;

const lists = {
  policy: async () => (await bodyOf(listPolicyProposals(newest))).data,
  apiKey: async () => (await bodyOf(listApiKeyProposals(newest))).data,
  role: async () => (await bodyOf(listRoleProposals(newest))).data,
} as const;

/** Reads it again. Undefined where it can't be read any more. */
export async function readCurrentState({
  kind,
  id,
}: Pick<Waiting, "kind" | "id">): Promise<CurrentState | undefined> {
  try {
    if (kind === "order") return currentStateOf(await bodyOf(getPaymentOrder({ path: { id } })));
    if (kind === "transaction") {
      const { status } = await bodyOf(getLedgerTransaction({ path: { id } }));
      return { stillWaits: status === "Pending", status, by: null, reason: null, isApproved: false };
    }
    if (kind === "assignment") {
      const { status, assignment } = await bodyOf(getInboundPayment({ path: { id } }));
      const by = assignment?.assignedBy ?? null;
      return { stillWaits: status === "Suspended", status, by, reason: null, isApproved: false };
    }
    const found = (await lists[kind]()).find((one) => one.id === id);
    if (found === undefined) return undefined;
    const { status, decidedBy } = found;
    return { stillWaits: status === "Open", status, by: decidedBy, reason: null, isApproved: false };
  } catch {
    return undefined;
  }
}
