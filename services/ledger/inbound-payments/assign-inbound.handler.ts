import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { z } from "zod";
import type { InboundPayment } from "../../../contracts/http/ledger/inbound-payments.ts";
import {
  type BookId,
  derivedUuid,
  idOf,
  type InboundPaymentId,
  isId,
  newUuid,
} from "../../../contracts/ids/ids.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { AssignInboundPayment } from "../../../contracts/messages/inbound.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { AssignCommand } from "../book/commands.ts";
import { accountOf, postableAccount } from "../accounts/postable-account.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { readTransactionPolicy } from "../transactions/store/transaction-policies.ts";
import { isApprovalOf, isProposal } from "./require-second-person.ts";
import { updateAssignment, updateProposal } from "./store/assignments.ts";
import { findInboundPayment, toInboundPayment } from "./store/inbound-payments.ts";
import { readReleasedHolds } from "./store/paying-accounts.ts";
import { postJournals } from "../posting/post-journals.ts";

/** Assigns money in Suspense to an account, or charges it with what a return took, once, with a journal of its own. */
@Controller()
export class AssignInbound {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * Above the threshold of a policy that requires approvals of transactions, the first request proposes, and another
   * principal's makes the assignment. Refusals: `not_found`; `invalid_state_transition` if it is not Suspended, or
   * makes up for what Suspense has paid; those of `postableAccount` and `isProposal`; `balance_out_of_range`.
   */
  @HandlesRequest(AssignInboundPayment)
  assign(request: z.output<typeof AssignInboundPayment.data>, context: RequestContext) {
    const operation = { name: "assign-inbound-payment", resourceId: (payment: InboundPayment) => payment.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => assignOne(unit, request, context)),
    );
  }
}

async function assignOne(
  unit: UnitOfWork,
  { id, assignment, mayApprove = false, mayWrite = true }: z.output<typeof AssignInboundPayment.data>,
  { caller }: RequestContext,
): Promise<InboundPayment> {
  const { book, principal } = caller;
  if (!isId("ip", id)) throw notFound("inbound payment");
  await lockBooks(unit.sql, [book]);
  const payment = await read(unit.sql, book, id);
  refuseUnlessSuspended(payment);
  await refuseOffsetOfEarlierRelease(unit.sql, book, payment);
  const account = await postableAccount(unit.sql, book, accountOf(assignment));
  const at = (await readTimeIn(unit.sql, book)).toISOString();
  const by = { ledgerAccountId: account.id, principal, mayApprove, mayWrite };
  if (isProposal(payment, await readTransactionPolicy(unit.sql, book), by)) {
    await updateProposal(unit.sql, book, id, { ...by, at });
    return read(unit.sql, book, id);
  }
  const command: AssignCommand = {
    kind: "Assign",
    // Derived from the payment's id, so that the ledger accepts at most one assignment.
    commandId: derivedUuid(id, "assign"),
    transactionId: idOf("lt", newUuid()),
    direction: payment.direction,
    ledgerAccountId: account.id,
    amountCents: payment.amountCents,
    currency: payment.currency,
    effectiveAt: at,
  };
  const [outcome] = await postJournals(unit.sql, [{ book, command }]);
  if (outcome === undefined) throw new TypeError(`the assignment of ${id} has no outcome`);
  if (outcome.result === "Refused") throw new Refusal(outcome.code, outcome.detail);
  const { transactionId, sequence } = outcome;
  const isApproval = isApprovalOf(payment, by);
  await updateAssignment(unit.sql, book, id, { ...by, at, transactionId, sequence, isApproval });
  return read(unit.sql, book, id);
}

async function read(sql: Sql, book: BookId, id: InboundPaymentId): Promise<InboundPayment> {
  const row = await findInboundPayment(sql, book, id);
  if (row === undefined) throw notFound("inbound payment");
  return toInboundPayment(row);
}

/**
 * A ledger of the previous release, which has no `Offset`, records such a payment as Suspended. It can't be assigned
 * either.
 */
async function refuseOffsetOfEarlierRelease(
  sql: Sql,
  book: BookId,
  { returnsPaymentOrderId: orderId }: InboundPayment,
): Promise<void> {
  if (orderId === null || !(await readReleasedHolds(sql, [{ book, orderId }])).has(orderId)) return;
  throw new Refusal(
    "invalid_state_transition",
    `It brings back the money of ${orderId}. ${nothingToAssign}`,
    { context: { currentStatus: "Suspended", paymentOrderId: orderId } },
  );
}

const nothingToAssign =
  "The order's hold was released, and no account of yours had paid it, so there is nothing to assign.";

function refuseUnlessSuspended({ status }: InboundPayment): void {
  if (status === "Suspended") return;
  const why = {
    Attributed: "The money is on the account of its virtual account. Create a ledger transaction to move it.",
    Assigned: "Create a ledger transaction to move the money again.",
    Offset: nothingToAssign,
    Returned: "It was a collection and was returned, so there is no money to assign.",
  }[status];
  throw new Refusal("invalid_state_transition", `The inbound payment is ${status}. ${why}`, {
    context: { currentStatus: status, allowedStatuses: ["Suspended"] },
  });
}
