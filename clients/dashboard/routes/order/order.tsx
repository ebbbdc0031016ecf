import { getRouteApi, Link } from "@tanstack/react-router";
import { type RefObject, useRef } from "react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { useMay } from "../../api/people/me.ts";
import { useOrder } from "../../api/orders/order.ts";
import { useSubmitOrder } from "../../api/orders/order-actions.ts";
import { mode } from "../../book.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { money } from "../../parts/values/money.ts";
import { OrderStatus } from "../../parts/values/order-status.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { orderPageTexts as words } from "../../texts/order.ts";
import { orderTexts } from "../../texts/orders.ts";
import { Actions } from "./actions.tsx";
import { Banner } from "./banner.tsx";
import { Entries } from "./entries.tsx";
import { History } from "./history.tsx";
import { OrderDetails } from "./order-details.tsx";
import { Refusal } from "./refusal.tsx";
import { Simulator } from "./simulator.tsx";

const route = getRouteApi("/shell/orders/$id");

/** Where is this payment, and what happened to it? */
export function Order() {
  const { id } = route.useParams();
  const order = useOrder(id);
  if (order.data !== undefined) return <Shown key={id} order={order.data} />;
  return (
    <>
      <PageTitle text={words.crumb} />
      {order.isError ? <Failure error={order.error} retry={order.refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ order }: { order: PaymentOrder }) {
  const maySimulate = useMay("simulate") && mode === "Test";
  // Its refusal stays visible when somebody else was first and the button is gone.
  const submit = useSubmitOrder(order.id);
  const banner = useRef<HTMLParagraphElement>(null);
  return (
    <div className="body">
      <PageTitle
        text={visible(order.counterpartyName ?? orderTexts.ownAccount)}
        crumb={
          <>
            <Link className="crumb" to="/orders">
              {words.crumb}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <Head order={order} submit={submit} outcome={banner} />
      <Banner order={order} ref={banner} />
      {submit.isError && <Refusal error={submit.error} order={order} hasMoved={order.status !== "Draft"} />}
      <div className="order-columns">
        <div className="column">
          <History order={order} />
        </div>
        <div className="column">
          {maySimulate && <Simulator order={order} />}
          <Entries order={order} />
          <OrderDetails order={order} />
        </div>
      </div>
    </div>
  );
}

interface HeadProps {
  readonly order: PaymentOrder;
  readonly submit: ReturnType<typeof useSubmitOrder>;
  readonly outcome: RefObject<HTMLElement | null>;
}

function Head({ order, submit, outcome }: HeadProps) {
  const mayWrite = useMay("orders:write");
  return (
    <div className="order-head">
      <div>
        <p className="lead">
          {words.lead[order.direction]} <b>{orderTexts.rails[order.rail]}</b>
          {order.ledgerAccountName !== null && (
            <>
              {" "}
              {words.from[order.direction]} <b>{visible(order.ledgerAccountName)}</b>
            </>
          )}{" "}
          · <span className="mono">{order.id}</span>
        </p>
        <p className="amount num">
          {money(order.amountCents)} <OrderStatus order={order} big />
        </p>
      </div>
      <div className="actions">
        <CopyCurl request={{ method: "GET", path: `/v1/payment-orders/${order.id}` }} />
        {mayWrite && <Actions order={order} submit={submit} outcome={outcome} />}
      </div>
    </div>
  );
}
