import { getRouteApi, Link } from "@tanstack/react-router";
import type { PaymentOrder } from "../../typescript/types.gen.ts";
import { useMay } from "../api/me.ts";
import { useOrder } from "../api/order.ts";
import { mode } from "../book.ts";
import { CopyCurl } from "../parts/copy-curl.tsx";
import { Failure, Loading } from "../parts/failure.tsx";
import { money } from "../parts/money.ts";
import { OrderStatus } from "../parts/order-status.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { Banner } from "./order/banner.tsx";
import { Entries } from "./order/entries.tsx";
import { History } from "./order/history.tsx";
import { OrderDetails } from "./order/order-details.tsx";
import { Simulator } from "./order/simulator.tsx";

const { orderPage: words } = texts;
const route = getRouteApi("/shell/orders/$id");

/** Where is this payment, and what happened to it? */
export function Order() {
  const { id } = route.useParams();
  const order = useOrder(id);
  if (order.data !== undefined) return <Shown order={order.data} />;
  return (
    <>
      <PageTitle text={words.crumb} />
      {order.isError ? <Failure error={order.error} retry={order.refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ order }: { order: PaymentOrder }) {
  const maySimulate = useMay("simulate") && mode === "Test";
  return (
    <div className="body">
      <PageTitle
        text={visible(order.counterpartyName ?? texts.orders.ownAccount)}
        crumb={
          <>
            <Link className="crumb" to="/orders">
              {words.crumb}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <Head order={order} />
      <Banner order={order} />
      <div className="order-columns">
        <div className="column">
          <History order={order} />
        </div>
        <div className="column">
          {maySimulate && <Simulator key={order.id} order={order} />}
          <Entries order={order} />
          <OrderDetails order={order} />
        </div>
      </div>
    </div>
  );
}

function Head({ order }: { order: PaymentOrder }) {
  return (
    <div className="order-head">
      <div>
        <p className="lead">
          {words.lead[order.direction]} <b>{texts.orders.rails[order.rail]}</b>
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
      <CopyCurl request={{ method: "GET", path: `/v1/payment-orders/${order.id}` }} />
    </div>
  );
}
