import { Link } from "@tanstack/react-router";
import type { InboundPayment } from "../../../../typescript/types.gen.ts";
import { mode } from "../../../book.ts";
import { useInboundPayments } from "../../../api/books/inbound.ts";
import { useMay } from "../../../api/people/me.ts";
import { Card } from "../../../parts/page/card.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { money } from "../../../parts/values/money.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { inboundTexts as inbound } from "../../../texts/inbound.ts";
import { virtualAccountTexts } from "../../../texts/virtual-accounts.ts";
import { InboundStatus } from "../../inbound/inbound-status.tsx";

const { payments: words } = virtualAccountTexts;
const shown = 10;

/** The latest payments to the number. */
export function Payments({ virtualAccountId }: { virtualAccountId: string }) {
  const { data, isError, error, refetch } = useInboundPayments({ virtualAccountId });
  const payments = data?.data ?? [];
  return (
    <Card title={words.title} aside={words.aside}>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading />)}
      {data !== undefined && payments.length === 0 && <Nothing virtualAccountId={virtualAccountId} />}
      {payments.length > 0 && <PaymentTable payments={payments.slice(0, shown)} />}
      {payments.length > shown && (
        <p className="dim">
          <Link to="/inbound" search={{ virtualAccountId }}>
            {words.all}
          </Link>
        </p>
      )}
    </Card>
  );
}

function Nothing({ virtualAccountId }: { virtualAccountId: string }) {
  const maySimulate = useMay("simulate") && mode === "Test";
  return (
    <div className="empty">
      <b>{words.none}</b>
      <p>{words.noneText}</p>
      {maySimulate && (
        <Link className="button" to="/simulator" search={{ virtualAccountId }}>
          {inbound.empty.simulate}
        </Link>
      )}
    </div>
  );
}

function PaymentTable({ payments }: { payments: readonly InboundPayment[] }) {
  const { columns } = inbound;
  return (
    <div className="scroll-x">
      <table className="list number-payments">
        <caption className="hidden-visually">{words.title}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.sender}</th>
            <th scope="col" className="wide">
              {columns.status}
            </th>
            <th scope="col" className="wide">
              {columns.booked}
            </th>
            <th scope="col" className="right">
              {columns.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => (
            <tr key={payment.id} className="link">
              <td className="name">
                <Link className="row-link" to="/inbound/$id" params={{ id: payment.id }}>
                  {visible(payment.originatorName)}
                </Link>
                <small className="wide">{visible(payment.bankReference)}</small>
                <div className="narrow">
                  <InboundStatus status={payment.status} />
                </div>
              </td>
              <td className="wide">
                <InboundStatus status={payment.status} />
                {payment.reason !== null && <small>{inbound.reasons[payment.reason]}</small>}
              </td>
              <td className="wide">
                <Moment at={payment.occurredAt} />
              </td>
              <td className="right num strong">{money(payment.amountCents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
