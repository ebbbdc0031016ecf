import { getRouteApi, Link } from "@tanstack/react-router";
import type { WebhookDelivery } from "../../../../typescript/types.gen.ts";
import { useEndpoints } from "../../../api/developers/endpoints.ts";
import { deliveriesQuery, deliveryQuery, useDeliveries } from "../../../api/developers/webhooks.ts";
import { Moment } from "../../../parts/values/moment.tsx";
import { EmptyList, whyEmpty } from "../../../parts/page/empty-list.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { PagedList } from "../../../parts/page/paged-list.tsx";
import { changed, hasFilter } from "../../../parts/page/read-search.ts";
import { usePrefetch } from "../../../parts/page/prefetch.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts as words } from "../../../texts/webhooks.ts";
import { resultInWords } from "./attempts.tsx";
import { DeliveryStatus } from "./delivery-status.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { DeliveryFilters } from "./filters.ts";
import { Tabs } from "../tabs.tsx";

const route = getRouteApi("/shell/webhooks");

/** What did my receiver miss? The filters stand in the address, so that a list can be sent to a colleague. */
export function Deliveries() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<DeliveryFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const deliveries = useDeliveries(filters);
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <Tabs />
      <FilterBar filters={filters} change={change} clear={clear} />
      <PagedList
        list={deliveries}
        empty={<Empty isFiltered={hasFilter(filters)} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
        prefetch={(client, pages) => client.prefetchQuery(deliveriesQuery({ ...filters, pages }))}
      >
        {(items) => <DeliveryTable deliveries={items} />}
      </PagedList>
    </div>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyList {...whyEmpty(words.empty, isFiltered)}>
      {!isFiltered && (
        <Link className="button" to="/webhooks/endpoints">
          {words.tabs.endpoints}
        </Link>
      )}
    </EmptyList>
  );
}

function DeliveryTable({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const { columns } = words;
  const { data: endpoints = [] } = useEndpoints();
  const names = new Map(endpoints.map(({ id, url, description }) => [id, description ?? url]));
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.event}</th>
            <th scope="col" className="wide">
              {columns.endpoint}
            </th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="wide">
              {columns.last}
            </th>
            <th scope="col" className="wide">
              {columns.made}
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              endpoint={names.get(delivery.endpointId) ?? words.deletedEndpoint}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DeliveryRow({ delivery, endpoint }: { delivery: WebhookDelivery; endpoint: string }) {
  const { id, eventType, status, attempts, attemptCount, createdAt } = delivery;
  const last = attempts.at(-1);
  const readAhead = usePrefetch((client) => client.prefetchQuery(deliveryQuery(id)));
  return (
    <tr className="link">
      <td>
        <Link className="row-link" to="/webhooks/$id" params={{ id }} {...readAhead}>
          {eventType}
        </Link>
        {eventType in words.eventTypes && (
          <small>{words.eventTypes[eventType as keyof typeof words.eventTypes]}</small>
        )}
      </td>
      <td className="wide name">{visible(endpoint)}</td>
      <td>
        <DeliveryStatus status={status} />
      </td>
      <td className="wide num">
        {last === undefined ? words.notTried : resultInWords(last)}
        {attemptCount > 1 && <small>{words.attempts(attemptCount)}</small>}
      </td>
      <td className="wide">
        <Moment at={createdAt} />
      </td>
    </tr>
  );
}
