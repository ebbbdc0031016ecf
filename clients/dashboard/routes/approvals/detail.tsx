import { Link } from "@tanstack/react-router";
import { ArrowLeft, Fingerprint, TriangleAlert } from "lucide-react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { refusalOfOrder } from "../../api/approvals.ts";
import { becomeOf } from "../../api/become.ts";
import { type Decidable, decidableOrder, type Verdict } from "../../api/decidable.ts";
import type { Me } from "../../api/me.ts";
import { useOrder } from "../../api/order.ts";
import { Chip } from "../../parts/chip.tsx";
import { Failure, Loading } from "../../parts/failure.tsx";
import { until } from "../../parts/moment.tsx";
import { money } from "../../parts/money.ts";
import { useNow } from "../../parts/now.ts";
import { OrderStatus } from "../../parts/order-status.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";
import { masked } from "../order/order-details.tsx";
import { Effect } from "./effect.tsx";
import { becomeInWords } from "./become-in-words.ts";
import { People, When, WorthALook } from "./cards.tsx";

const { approvals: words } = texts;

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
  const now = useNow();
  const waits = order.awaiting === "Approval";
  const refusal = refusalOfOrder(order, me);
  const { required, reasons, expiresAt } = order.approval;
  const lead = waits && refusal === undefined ? words.lead : words.waiting;
  return (
    <section className="detail" aria-label={visible(order.counterpartyName ?? texts.orders.ownAccount)}>
      <button type="button" className="quiet back" onClick={back}>
        <ArrowLeft aria-hidden /> {words.back}
      </button>
      <div className="hero">
        <div>
          <p className="lead">
            {lead[order.direction]} <b>{texts.orders.rails[order.rail]}</b> {words.from[order.direction]}{" "}
            <b>{visible(order.ledgerAccountName ?? "")}</b>
          </p>
          <p className="amount num">{money(order.amountCents)}</p>
          <p className="to">
            {words.to[order.direction]} <b>{visible(order.counterpartyName ?? texts.orders.ownAccount)}</b>{" "}
            <span className="mono">{masked(order.counterpartyAccountNumber)}</span>
            {order.counterpartyRoutingNumber !== null && (
              <>
                {" "}
                {words.at} <span className="mono">{visible(order.counterpartyRoutingNumber)}</span>
              </>
            )}
          </p>
        </div>
        {expiresAt !== null && (
          <Chip tone="warn" big>
            {words.lapses(until(expiresAt, now))}
          </Chip>
        )}
        {!waits && <OrderStatus order={order} big />}
      </div>
      {!waits && (
        <p className="banner warn" aria-live="polite">
          <b>{words.become.title}</b> {becomeInWords(becomeOf(order))}
        </p>
      )}
      <p className="banner">
        <b>{required === 1 ? words.why.one : required === 2 ? words.why.two : words.why.more(required)}</b>{" "}
        {reasons.map(({ detail }) => detail).join(" ")} <Link to="/policy">{words.why.policy}</Link>
      </p>
      <div className="cards">
        <People order={order} me={me} />
        <Effect order={order} />
      </div>
      <div className="cards wide-first">
        <WorthALook order={order} me={me} />
        <When order={order} />
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
