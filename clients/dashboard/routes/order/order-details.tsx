import { Link } from "@tanstack/react-router";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { Card, Details } from "../../parts/page/card.tsx";
import { bankingDayInWords, Moment } from "../../parts/values/moment.tsx";
import { masked } from "../../parts/values/masked.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { orderPageTexts } from "../../texts/order.ts";
import { orderTexts } from "../../texts/orders.ts";
import { CounterpartyLink } from "../counterparties/counterparty-link.tsx";

const { details: words } = orderPageTexts;

export function OrderDetails({ order }: { order: PaymentOrder }) {
  const { railReference, approval } = order;
  return (
    <Card title={words.title}>
      <Details
        rows={[
          [words.counterparty, <Account key="account" order={order} />],
          [
            words.stored,
            order.counterpartyId === null ? null : <CounterpartyLink id={order.counterpartyId} />,
          ],
          [words.routing, code(order.counterpartyRoutingNumber)],
          [words.reference, text(order.externalId)],
          [words.purpose, text(order.purpose)],
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
      {visible(counterpartyName ?? orderTexts.ownAccount)}{" "}
      <span className="mono">{masked(counterpartyAccountNumber)}</span>
    </>
  );
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
