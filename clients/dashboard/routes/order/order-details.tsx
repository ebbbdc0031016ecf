import { Link } from "@tanstack/react-router";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { Card, Details } from "../../parts/card.tsx";
import { bankingDayInWords, Moment } from "../../parts/moment.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { details: words } = texts.orderPage;

export function OrderDetails({ order }: { order: PaymentOrder }) {
  const { railReference, approval } = order;
  return (
    <Card title={words.title}>
      <Details
        rows={[
          [words.counterparty, <Account key="account" order={order} />],
          [words.routing, code(order.counterpartyRoutingNumber)],
          [words.reference, text(order.externalId)],
          [words.description, text(order.description)],
          [words.descriptor, text(order.statementDescriptor)],
          [words.basis, order.basis],
          [words.obligation, obligation(order.obligationId)],
          [words.effective, date(order.effectiveDate)],
          [words.settles, date(order.expectedSettlementDate)],
          [words.rail, code(Object.values(railReference ?? {}).join(" ") || null)],
          [words.return, code(order.return?.id ?? null)],
          [words.sentBack, code(order.sentBackBy)],
          [words.maker, visible(order.createdBy)],
          [words.made, <Moment key="made" at={order.createdAt} />],
          [words.hash, code(approval.orderHash?.slice(0, 12) ?? null)],
        ]}
      />
    </Card>
  );
}

/** Whom the order pays: the name, and what may be shown of the number. */
export function Account({ order }: { order: PaymentOrder }) {
  const { counterpartyName, counterpartyAccountNumber } = order;
  return (
    <>
      {visible(counterpartyName ?? texts.orders.ownAccount)}{" "}
      <span className="mono">{masked(counterpartyAccountNumber)}</span>
    </>
  );
}

export function masked(number: string | null): string {
  return (number ?? "").replace(/^\*+/, "•••• ");
}

const text = (value: string | null) => (value === null ? null : visible(value));
const date = (value: string | null) => (value === null ? null : bankingDayInWords(value));
const code = (value: string | null) =>
  value === null ? null : <span className="mono">{visible(value)}</span>;

/** What the order pays. */
const obligation = (id: string | null) =>
  id === null ? null : (
    <Link className="mono" to="/obligations/$id" params={{ id }}>
      {id}
    </Link>
  );
