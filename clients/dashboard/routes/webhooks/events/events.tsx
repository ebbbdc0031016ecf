import { getRouteApi, Link } from "@tanstack/react-router";
import type { StoredEvent } from "../../../../typescript/types.gen.ts";
import { eventQuery, eventsQuery, useEvents } from "../../../api/developers/webhooks.ts";
import { FilterChoice } from "../../../parts/form/filter-choice.tsx";
import { FilterText } from "../../../parts/form/filter-text.tsx";
import { EmptyList, whyEmpty } from "../../../parts/page/empty-list.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { PagedList } from "../../../parts/page/paged-list.tsx";
import { changed, hasFilter } from "../../../parts/page/read-search.ts";
import { usePrefetch } from "../../../parts/page/prefetch.ts";
import { Moment } from "../../../parts/values/moment.tsx";
import { eventTexts as words } from "../../../texts/webhook-events.ts";
import { webhookTexts as webhooks } from "../../../texts/webhooks.ts";
import { Since } from "../since.tsx";
import { Tabs } from "../tabs.tsx";
import type { EventFilters } from "./filters.ts";

const route = getRouteApi("/shell/webhooks/events");

/** What has happened that endpoints can get? The filters stand in the address. */
export function Events() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<EventFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const events = useEvents(filters);
  return (
    <div className="body">
      <PageTitle text={webhooks.title} />
      <Tabs />
      <FilterBar filters={filters} change={change} clear={clear} />
      <PagedList
        list={events}
        empty={<EmptyList {...whyEmpty(words.empty, hasFilter(filters))} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
        prefetch={(client, pages) => client.prefetchQuery(eventsQuery({ ...filters, pages }))}
      >
        {(items) => <EventTable events={items} />}
      </PagedList>
    </div>
  );
}

interface FilterBarProps {
  readonly filters: EventFilters;
  readonly change: (by: Partial<EventFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
function FilterBar({ filters, change, clear }: FilterBarProps) {
  return (
    <div className="filters">
      <FilterChoice
        label={webhooks.filters.typeLabel}
        any={webhooks.filters.type}
        options={Object.keys(webhooks.eventTypes).map((type) => [type, type])}
        value={filters.type}
        choose={(type) => change({ type })}
      />
      <Since value={filters.since} choose={(since) => change({ since })} />
      <FilterText
        key={filters.objectId ?? ""}
        label={webhooks.filters.objectId}
        value={filters.objectId ?? ""}
        choose={(objectId) => change({ objectId })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
          {webhooks.filters.clear}
        </button>
      )}
    </div>
  );
}

function EventTable({ events }: { events: readonly StoredEvent[] }) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.event}</th>
            <th scope="col" className="wide">
              {columns.about}
            </th>
            <th scope="col">{columns.at}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EventRow({ event: { id, type, objectId, created_at: at } }: { event: StoredEvent }) {
  const readAhead = usePrefetch((client) => client.prefetchQuery(eventQuery(id)));
  return (
    <tr className="link">
      <td>
        <Link className="row-link" to="/webhooks/events/$id" params={{ id }} {...readAhead}>
          {type}
        </Link>
        {type in webhooks.eventTypes && (
          <small>{webhooks.eventTypes[type as keyof typeof webhooks.eventTypes]}</small>
        )}
      </td>
      <td className="wide name mono">{objectId}</td>
      <td>
        <Moment at={at} />
      </td>
    </tr>
  );
}
