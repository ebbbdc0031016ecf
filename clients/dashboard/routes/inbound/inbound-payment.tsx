import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { InboundPayment as Payment } from "../../../typescript/types.gen.ts";
import { useAssignInbound, useInboundPayment } from "../../api/books/inbound.ts";
import { useMay } from "../../api/people/me.ts";
import { AccountLink } from "../../parts/values/account-link.tsx";
import { Card, Details } from "../../parts/page/card.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { masked } from "../../parts/values/masked.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { inboundTexts as words } from "../../texts/inbound.ts";
import { orderTexts } from "../../texts/orders.ts";
import { VirtualAccountLink } from "../virtual-accounts/virtual-account-link.tsx";
import { ApproveAssignment } from "./approve-assignment.tsx";
import { Assign } from "./assign.tsx";
import { InboundStatus } from "./inbound-status.tsx";

const route = getRouteApi("/shell/inbound/$id");

/** Who sent this, where is it, and whose is it? */
export function InboundPayment() {
  const { id } = route.useParams();
  const payment = useInboundPayment(id);
  if (payment.data !== undefined) return <Shown key={id} payment={payment.data} />;
  return (
    <>
      <PageTitle text={words.title} />
      {payment.isError ? <Failure error={payment.error} retry={payment.refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ payment }: { payment: Payment }) {
  const mayAssign = useMay("ledger:write");
  // They decide on what another person has proposed, and propose nothing.
  const mayApprove = useMay("orders:approve");
  const assign = useAssignInbound(payment.id);
  return (
    <div className="body">
      <PageTitle
        text={visible(payment.originatorName)}
        crumb={
          <>
            <Link className="crumb" to="/inbound">
              {words.title}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <Head payment={payment} />
      {/* Stays when somebody else has assigned it, and the form is gone. */}
      <ConfirmFailure
        error={assign.error}
        retry={() => assign.variables !== undefined && assign.mutate(assign.variables)}
      />
      <div className="order-columns">
        <div className="column">
          <WhereItIs payment={payment} />
          {payment.status === "Suspended" &&
            payment.proposedAssignment !== null &&
            (mayAssign || mayApprove) && (
              <ApproveAssignment payment={payment} {...payment.proposedAssignment} assign={assign} />
            )}
          {payment.status === "Suspended" && mayAssign && <Assign payment={payment} assign={assign} />}
        </div>
        <div className="column">
          <PaymentDetails payment={payment} />
        </div>
      </div>
    </div>
  );
}

function Head({ payment }: { payment: Payment }) {
  return (
    <div className="order-head">
      <div>
        <p className="lead">
          {words.lead[payment.direction]} <b>{orderTexts.rails[payment.rail]}</b> ·{" "}
          <span className="mono">{payment.id}</span>
        </p>
        <p className="amount num">
          {money(payment.amountCents)} <InboundStatus status={payment.status} big />
        </p>
      </div>
      <CopyCurl request={{ method: "GET", path: `/v1/inbound-payments/${payment.id}` }} />
    </div>
  );
}

/** Whose money it is, why nobody's, and who has said so. */
function WhereItIs({ payment }: { payment: Payment }) {
  const { status, reason, assignment, proposedAssignment: proposal, ledgerAccountId } = payment;
  return (
    <Card title={words.where.title}>
      <div className="form">
        <p>{words.where[status]}</p>
        {reason !== null && <p className="dim">{words.reasonsInFull[reason]}</p>}
      </div>
      {(ledgerAccountId !== null || assignment !== null || proposal !== null) && (
        <Details
          rows={[
            [words.where.account, ledgerAccountId === null ? null : <AccountLink id={ledgerAccountId} />],
            [
              words.where.proposedFor,
              proposal === null ? null : <AccountLink id={proposal.ledgerAccountId} />,
            ],
            [words.where.proposedBy, proposal === null ? null : visible(proposal.proposedBy)],
            [words.where.proposedAt, proposal === null ? null : <Moment at={proposal.proposedAt} />],
            [
              words.where.assignedTo,
              assignment === null ? null : <AccountLink id={assignment.ledgerAccountId} />,
            ],
            [words.where.assignedBy, assignment === null ? null : visible(assignment.assignedBy)],
            [words.where.assignedAt, assignment === null ? null : <Moment at={assignment.assignedAt} />],
          ]}
        />
      )}
    </Card>
  );
}

function PaymentDetails({ payment }: { payment: Payment }) {
  const { details } = words;
  const { returnsPaymentOrderId: orderId, unmatchedReturn, virtualAccountId } = payment;
  return (
    <Card title={details.title}>
      <Details
        rows={[
          [details.sender, visible(payment.originatorName)],
          [details.number, mono(masked(payment.accountNumber))],
          [
            details.virtualAccount,
            virtualAccountId === null ? null : <VirtualAccountLink id={virtualAccountId} />,
          ],
          [details.reference, mono(visible(payment.bankReference))],
          [details.returnCode, payment.returnCode],
          [
            details.returnOf,
            unmatchedReturn === null
              ? null
              : details.unmatched(unmatchedReturn.code, visible(unmatchedReturn.originalTraceNumber)),
          ],
          [
            details.order,
            orderId === null ? null : (
              <Link className="mono" to="/orders/$id" params={{ id: orderId }}>
                {orderId}
              </Link>
            ),
          ],
          [details.transaction, mono(payment.ledgerTransactionId)],
          [details.booked, <Moment key="booked" at={payment.occurredAt} />],
          [details.recorded, <Moment key="recorded" at={payment.createdAt} />],
        ]}
      />
    </Card>
  );
}

function mono(text: string | null): ReactNode {
  return text === null ? null : <span className="mono">{text}</span>;
}
