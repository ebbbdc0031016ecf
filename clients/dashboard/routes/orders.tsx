import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { PaymentOrder } from "../../typescript/types.gen.ts";
import { useMay } from "../api/me.ts";
import { useOrders } from "../api/orders.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { money } from "../parts/money.ts";
import { OrderStatus } from "../parts/order-status.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { FilterBar } from "./order-filter-bar.tsx";
import { hasFilter, type OrderFilters } from "./order-filters.ts";

const { orders: words } = texts;
const route = getRouteApi("/shell/orders");

/** Where is this payment? The filters stand in the address, so that a list can be sent to a colleague. */
export function Orders() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: OrderFilters) => void navigate({ search });
  const orders = useOrders(filters);
  const mayWrite = useMay("orders:write");
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <FilterBar filters={filters} change={change} />
        {mayWrite && (
          <Link className="button primary push" to="/orders/new">
            <Plus aria-hidden /> {words.new}
          </Link>
        )}
      </div>
      {orders.data === undefined && orders.isError && <Failure error={orders.error} retry={orders.refetch} />}
      {orders.isPending && <Loading lines={12} />}
      {orders.data !== undefined && (
        <>
          {orders.data.data.length === 0 ? (
            <Empty isFiltered={hasFilter(filters)} />
          ) : (
            <OrderTable orders={orders.data.data} />
          )}
          <Pages
            before={filters.pages ?? []}
            next={orders.data.nextCursor}
            turn={(pages) => change({ ...filters, pages })}
          />
        </>
      )}
    </div>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const { empty } = words;
  return (
    <div className="card empty">
      <b>{isFiltered ? empty.filtered : empty.title}</b>
      <p>{isFiltered ? empty.filteredText : empty.text}</p>
    </div>
  );
}

function OrderTable({ orders }: { orders: readonly PaymentOrder[] }) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="orders">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.counterparty}</th>
            <th scope="col" className="wide">
              {columns.rail}
            </th>
            <th scope="col" className="wide">
              {columns.account}
            </th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="wide">
              {columns.made}
            </th>
            <th scope="col" className="right">
              {columns.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => (
            <OrderRow key={order.id} order={order} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OrderRow({ order }: { order: PaymentOrder }) {
  const remark = [order.description, order.externalId].filter((text) => text !== null).map(visible);
  return (
    <tr className="link">
      <td>
        <Link className="row-link" to="/orders/$id" params={{ id: order.id }}>
          {visible(order.counterpartyName ?? words.ownAccount)}
        </Link>
        {remark.length > 0 && <small>{remark.join(" · ")}</small>}
      </td>
      <td className="wide">
        {words.rails[order.rail]} <small>{words.directions[order.direction]}</small>
      </td>
      <td className="wide">{visible(order.ledgerAccountName ?? "")}</td>
      <td>
        <OrderStatus order={order} />
      </td>
      <td className="wide">
        <Moment at={order.createdAt} />
      </td>
      <td className="right num strong">{money(order.amountCents)}</td>
    </tr>
  );
}
