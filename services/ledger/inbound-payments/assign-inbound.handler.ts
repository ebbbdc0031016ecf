import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  InboundPayment,
  InboundPaymentAssign,
} from "../../../contracts/http/ledger/inbound-payments.ts";
import { type BookId, derivedUuid, idOf, isId, newUuid } from "../../../contracts/ids/ids.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { AssignInboundPayment } from "../../../contracts/messages/inbound.ts";
import { safeCents } from "../../../contracts/money.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { AssignCommand } from "../book/commands.ts";
import { accountOf, postableAccount } from "../accounts/postable-account.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import {
  findInboundPayment,
  type InboundPaymentRow,
  updateAssignment,
  toInboundPayment,
} from "./store/inbound-payments.ts";
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
   * Refusals: `not_found`; `invalid_state_transition` if it is not Suspended, or makes up for what Suspense has paid;
   * those of `postableAccount`; `balance_out_of_range`.
   */
  @HandlesRequest(AssignInboundPayment)
  assign({ id, assignment }: { id: string; assignment: InboundPaymentAssign }, context: RequestContext) {
    const operation = { name: "assign-inbound-payment", resourceId: (payment: InboundPayment) => payment.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => assignOne(unit, id, assignment, context)),
    );
  }
}

async function assignOne(
  unit: UnitOfWork,
  id: string,
  assignment: InboundPaymentAssign,
  { caller }: RequestContext,
): Promise<InboundPayment> {
  const { book, principal } = caller;
  if (!isId("ip", id)) throw notFound("inbound payment");
  await lockBooks(unit.sql, [book]);
  const payment = await findInboundPayment(unit.sql, book, id);
  if (payment === undefined) throw notFound("inbound payment");
  refuseUnlessSuspended(payment);
  await refuseUnlabelledOffset(unit.sql, book, toInboundPayment(payment));
  const account = await postableAccount(unit.sql, book, accountOf(assignment));
  const at = (await readTimeIn(unit.sql, book)).toISOString();
  const command: AssignCommand = {
    kind: "Assign",
    // Derived from the payment's id, so that the ledger accepts at most one assignment.
    commandId: derivedUuid(id, "assign"),
    transactionId: idOf("lt", newUuid()),
    direction: payment.direction,
    ledgerAccountId: account.id,
    amountCents: safeCents(payment.amount_cents),
    currency: payment.currency,
    effectiveAt: at,
  };
  const [outcome] = await postJournals(unit.sql, [{ book, command }]);
  if (outcome === undefined) throw new TypeError(`the assignment of ${id} has no outcome`);
  if (outcome.result === "Refused") throw new Refusal(outcome.code, outcome.detail);
  const { transactionId, sequence } = outcome;
  const ledgerAccountId = account.id;
  await updateAssignment(unit.sql, book, id, { ledgerAccountId, transactionId, sequence, principal, at });
  const assigned = await findInboundPayment(unit.sql, book, id);
  if (assigned === undefined) throw notFound("inbound payment");
  return toInboundPayment(assigned);
}

/** Refuses what a release recorded as Suspended that had no Offset. */
async function refuseUnlabelledOffset(
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

function refuseUnlessSuspended({ status }: InboundPaymentRow): void {
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
