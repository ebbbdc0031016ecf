import { Link } from "@tanstack/react-router";
import type { PaymentOrder } from "../../../../typescript/types.gen.ts";
import { useOrders } from "../../../api/orders/orders.ts";
import { Card } from "../../../parts/page/card.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { money } from "../../../parts/values/money.ts";
import { OrderStatus } from "../../../parts/values/order-status.tsx";
import { counterpartyTexts } from "../../../texts/counterparties.ts";
import { orderTexts } from "../../../texts/orders.ts";

const { orders: words } = counterpartyTexts;
const { columns, directions, rails } = orderTexts;
const shown = 5;

/** The latest orders that name it, and the way to all of them. */
export function Orders({ counterpartyId }: { counterpartyId: string }) {
  const { data, isError, error, refetch } = useOrders({ counterpartyId });
  const orders = data?.data ?? [];
  return (
    <Card title={words.title} aside={words.aside}>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading lines={3} />)}
      {data !== undefined && orders.length === 0 && <p className="inset dim">{words.none}</p>}
      {orders.length > 0 && (
        <>
          <OrderTable orders={orders.slice(0, shown)} />
          <p className="inset">
            <Link to="/orders" search={{ counterpartyId }}>
              {words.all}
            </Link>
          </p>
        </>
      )}
    </Card>
  );
}

function OrderTable({ orders }: { orders: readonly PaymentOrder[] }) {
  return (
    <div className="scroll-x">
      <table className="list">
        <caption className="hidden-visually">{words.title}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.made}</th>
            <th scope="col" className="wide">
              {columns.rail}
            </th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="right">
              {columns.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => (
            <tr key={order.id} className="link">
              <td>
                <Link className="row-link" to="/orders/$id" params={{ id: order.id }}>
                  <Moment at={order.createdAt} />
                </Link>
              </td>
              <td className="wide">
                {rails[order.rail]} <small>{directions[order.direction]}</small>
              </td>
              <td>
                <OrderStatus order={order} />
              </td>
              <td className="right num strong">{money(order.amountCents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
