/** Creates the tour's orders as the approval policy in force requires: with verified payees, and approved. */
import type { ApprovalPolicy } from "../../contracts/http/payments/approval-policies.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { PartName } from "../local/demo/seed.ts";
import type { Guide } from "./guide.ts";

export interface Stage {
  readonly operating: LedgerAccount;
  readonly payroll: LedgerAccount;
  readonly sinkId: string;
  readonly secret: string;
  /** The approval policy in force when the tour began. */
  readonly policy: ApprovalPolicy;
}

/** Who to pay, and how: what an order without a counterparty names itself. */
export interface Payee {
  readonly counterpartyName: string;
  readonly counterpartyAccountNumber: string;
  readonly counterpartyRoutingNumber: string;
}

export interface NewOrder extends Partial<Payee> {
  readonly direction: "Credit" | "Debit";
  readonly rail: string;
  readonly amountCents: number;
  readonly ledgerAccountId: string;
  readonly submit?: false;
}

const orderMembers = ["id", "status", "rail", "amountCents"];
/** They have made none of the tour's orders. */
const approvers = ["approver1", "approver2"] as const satisfies readonly PartName[];

/** Creates an order; unless it is a Draft, others approve it if the policy wants that. */
export async function create(
  guide: Guide,
  stage: Stage,
  order: NewOrder,
  as: PartName = "maker",
): Promise<PaymentOrder> {
  const made = await createUnapproved(guide, stage, order, as);
  if (order.submit !== false) await approveAsRequired(guide, made);
  return made;
}

/** Creates an order and leaves its approvals to the caller. */
export async function createUnapproved(
  guide: Guide,
  stage: Stage,
  order: NewOrder,
  as: PartName = "maker",
): Promise<PaymentOrder> {
  const body = await payable(guide, stage, order);
  const request = { method: "POST", path: "/v1/payment-orders", body } as const;
  return (await guide.send<PaymentOrder>(as, request, { status: 201, show: orderMembers })).body;
}

/** Approves a submitted order as often as it needs. An order that ends before it waits needs nobody. */
export async function approveAsRequired(
  guide: Guide,
  { id, approval: { required } }: Pick<PaymentOrder, "id" | "approval">,
): Promise<void> {
  if (required === 0) return;
  const path = `/v1/payment-orders/${id}`;
  const placed = await guide.lookUntil<PaymentOrder>(path, ({ status }) => status !== "Submitted");
  if (placed.status !== "Pending") return;
  guide.say(`the policy in force wants ${required === 1 ? "an approval" : "two approvals"}:`);
  for (const approver of approvers.slice(0, required))
    await guide.send(
      approver,
      { method: "POST", path: `${path}/approve` },
      { status: 200, show: ["status", "approval"] },
    );
}

/** The order as it is, or with a verified counterparty in place of bank details if the policy wants one. */
export async function payable(guide: Guide, { policy }: Stage, order: NewOrder): Promise<object> {
  if (!policy.requireVerifiedCounterparty || order.rail === "Book") return order;
  const { counterpartyName, counterpartyAccountNumber, counterpartyRoutingNumber, ...rest } = order;
  const account = {
    rail: order.rail,
    accountNumber: counterpartyAccountNumber,
    routingNumber: counterpartyRoutingNumber,
  };
  guide.say("the policy in force wants a verified counterparty:");
  const body = { name: counterpartyName, type: "Individual", accounts: [account] };
  return { ...rest, counterpartyId: await verifiedCounterparty(guide, body) };
}

/** Another principal than the one who entered the bank details verifies them. */
export async function verifiedCounterparty(guide: Guide, body: object): Promise<string> {
  const entered = await guide.send<{ id: string }>(
    "maker",
    { method: "POST", path: "/v1/counterparties", body },
    { status: 201, show: ["id", "verificationStatus"] },
  );
  await guide.send(
    "admin",
    { method: "POST", path: `/v1/counterparties/${entered.body.id}/verify` },
    { status: 200, show: ["verificationStatus", "verifiedBy"] },
  );
  return entered.body.id;
}
