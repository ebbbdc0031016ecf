import { Link } from "@tanstack/react-router";
import { ArrowLeft, Fingerprint, TriangleAlert } from "lucide-react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { refusalOfOrder } from "../../api/approvals/approvals.ts";
import { currentStateOf } from "../../api/approvals/current-state.ts";
import { type Decidable, decidableOrder, type Verdict } from "../../api/approvals/decidable.ts";
import type { Me } from "../../api/people/me.ts";
import { useOrder } from "../../api/orders/order.ts";
import { Chip } from "../../parts/values/chip.tsx";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { masked } from "../../parts/values/masked.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { OrderStatus } from "../../parts/values/order-status.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { approvalTexts as words } from "../../texts/approvals.ts";
import { orderTexts } from "../../texts/orders.ts";
import { Effect } from "./effect.tsx";
import { currentStateInWords } from "./current-state-in-words.ts";
import { People, WhatFor, When, WorthALook } from "./cards.tsx";

interface DetailProps {
  readonly me: Me;
  readonly decide: (verdict: Verdict, item: Decidable) => void;
  readonly back: () => void;
}

/** The whole of one order, read by itself: only so the API says whether this person may approve it. */
export function ApprovalDetail({ id, ...props }: DetailProps & { id: string }) {
  const { data, error, refetch } = useOrder(id);
  if (data !== undefined) return <Shown order={data} {...props} />;
  return (
    <section className="detail">
      {error === null ? <Loading /> : <Failure error={error} retry={refetch} />}
    </section>
  );
}

/** Amount and payee first, then what speaks for it and against it. */
function Shown({ order, me, decide, back }: DetailProps & { order: PaymentOrder }) {
  const waits = order.awaiting === "Approval";
  const refusal = refusalOfOrder(order, me);
  const { required, reasons, expiresAt } = order.approval;
  const lead = !waits ? words.decided : refusal === undefined ? words.lead : words.waiting;
  return (
    <section className="detail" aria-label={visible(order.counterpartyName ?? orderTexts.ownAccount)}>
      <button type="button" className="quiet back" onClick={back}>
        <ArrowLeft aria-hidden /> {words.back}
      </button>
      <div className="hero">
        <div>
          <p className="lead">
            {lead[order.direction]} <b>{orderTexts.rails[order.rail]}</b> {words.from[order.direction]}{" "}
            <b>{visible(order.ledgerAccountName ?? "")}</b>
          </p>
          <p className="amount num">{money(order.amountCents)}</p>
          <p className="to">
            {words.to[order.direction]} <b>{visible(order.counterpartyName ?? orderTexts.ownAccount)}</b>{" "}
            <span className="mono">{masked(order.counterpartyAccountNumber)}</span>
            {order.counterpartyRoutingNumber !== null && (
              <>
                {" "}
                {words.at} <span className="mono">{visible(order.counterpartyRoutingNumber)}</span>
              </>
            )}
            {order.counterpartyId !== null && (
              <>
                {" · "}
                <Link to="/counterparties/$id" params={{ id: order.counterpartyId }}>
                  {words.counterparty}
                </Link>
              </>
            )}
          </p>
        </div>
        {expiresAt !== null && (
          <Chip tone="warn" big>
            {words.lapses} <Moment at={expiresAt} />
          </Chip>
        )}
        {!waits && <OrderStatus order={order} big />}
      </div>
      <WhatFor order={order} />
      {!waits && (
        <p className="banner warn" aria-live="polite">
          <b>{words.currentState.title}</b> {currentStateInWords(currentStateOf(order))}
        </p>
      )}
      {waits && (
        <p className="banner">
          <b>{required === 1 ? words.why.one : required === 2 ? words.why.two : words.why.more(required)}</b>{" "}
          {reasons.map(({ detail }) => detail).join(" ")} <Link to="/policy">{words.why.policy}</Link>
        </p>
      )}
      <div className="cards">
        <People order={order} me={me} />
        <Effect order={order} />
      </div>
      <div className="cards wide-first">
        <WorthALook order={order} me={me} />
        {order.status === "Pending" && <When order={order} />}
      </div>
      <Actions order={order} refusal={refusal} decide={decide} />
    </section>
  );
}

interface ActionsProps {
  readonly order: PaymentOrder;
  readonly refusal: string | undefined;
  readonly decide: (verdict: Verdict, item: Decidable) => void;
}

function Actions({ order, refusal, decide }: ActionsProps) {
  return (
    <div className="decide">
      {order.awaiting === "Approval" && <Decide order={order} refusal={refusal} decide={decide} />}
      <Link className="button quiet push" to="/orders/$id" params={{ id: order.id }}>
        {words.open} <kbd aria-hidden>O</kbd>
      </Link>
    </div>
  );
}

function Decide({ order, refusal, decide }: ActionsProps) {
  if (refusal !== undefined) {
    return (
      <div className="notice">
        <TriangleAlert aria-hidden />
        <b>{refusalInWords(refusal)}</b>
      </div>
    );
  }
  return (
    <>
      <button type="button" className="primary big" onClick={() => decide("approve", decidableOrder(order))}>
        <Fingerprint aria-hidden />
        {words.approve(money(order.amountCents))}
      </button>
      <button type="button" className="bad big" onClick={() => decide("deny", decidableOrder(order))}>
        {words.deny}
      </button>
      <span className="dim">{words.note}</span>
    </>
  );
}

export function refusalInWords(
  code: string,
  known: Readonly<Record<string, string>> & { readonly other: string } = words.refused,
): string {
  return known[code] ?? known.other;
}
