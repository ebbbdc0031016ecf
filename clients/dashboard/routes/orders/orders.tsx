import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { useMay } from "../../api/people/me.ts";
import { orderQuery } from "../../api/orders/order.ts";
import { ordersQuery, useOrders } from "../../api/orders/orders.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { OrderStatus } from "../../parts/values/order-status.tsx";
import { EmptyList, whyEmpty } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed, hasFilter } from "../../parts/page/read-search.ts";
import { usePrefetch } from "../../parts/page/prefetch.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { orderTexts as words } from "../../texts/orders.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { OrderFilters } from "./filters.ts";

const route = getRouteApi("/shell/orders");

/** Where is this payment? The filters stand in the address, so that a list can be sent to a colleague. */
export function Orders() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<OrderFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const orders = useOrders(filters);
  const mayWrite = useMay("orders:write");
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <FilterBar filters={filters} change={change} clear={clear} />
        {mayWrite && (
          <Link className="button primary push" to="/orders/new">
            <Plus aria-hidden /> {words.new}
          </Link>
        )}
      </div>
      <PagedList
        list={orders}
        empty={<EmptyList {...whyEmpty(words.empty, hasFilter(filters))} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
        prefetch={(client, pages) => client.prefetchQuery(ordersQuery({ ...filters, pages }))}
      >
        {(items) => <OrderTable orders={items} />}
      </PagedList>
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
  const readAhead = usePrefetch((client) => client.prefetchQuery(orderQuery(order.id)));
  const remark = [order.description, order.externalId].filter((text) => text !== null).map(visible);
  return (
    <tr className="link">
      <td>
        <Link className="row-link" to="/orders/$id" params={{ id: order.id }} preload="intent" {...readAhead}>
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
