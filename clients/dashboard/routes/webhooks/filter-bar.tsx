import { useState } from "react";
import { useEndpoints } from "../../api/endpoints.ts";
import { FilterChoice } from "../../parts/filter-choice.tsx";
import { FilterText } from "../../parts/filter-text.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";
import { type DeliveryFilters, hasFilter, statuses } from "./filters.ts";

const { filters: words, statuses: statusNames, eventTypes } = texts.webhooks;

interface FilterBarProps {
  readonly filters: DeliveryFilters;
  readonly change: (filters: DeliveryFilters) => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change }: FilterBarProps) {
  const { pages: _pages, ...kept } = filters;
  const { data: endpoints = [] } = useEndpoints();
  return (
    <div className="filters">
      <FilterChoice
        label={words.statusLabel}
        any={words.status}
        options={statuses.map((status) => [status, statusNames[status]])}
        value={filters.status}
        choose={(status) => change({ ...kept, status })}
      />
      <FilterChoice
        label={words.typeLabel}
        any={words.type}
        options={Object.keys(eventTypes).map((type) => [type, type])}
        value={filters.eventType}
        choose={(eventType) => change({ ...kept, eventType })}
      />
      <FilterChoice
        label={words.endpointLabel}
        any={words.endpoint}
        options={endpoints.map(({ id, url, description }) => [id, visible(description ?? url)])}
        value={filters.endpointId}
        choose={(endpointId) => change({ ...kept, endpointId })}
      />
      <Since value={filters.since} choose={(since) => change({ ...kept, since })} />
      <FilterText
        key={filters.objectId ?? ""}
        label={words.objectId}
        value={filters.objectId ?? ""}
        choose={(objectId) => change({ ...kept, objectId })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={() => change({})}>
          {words.clear}
        </button>
      )}
    </div>
  );
}

const hourMs = 3_600_000;
const periods = [
  [words.lastHour, hourMs],
  [words.lastDay, 24 * hourMs],
  [words.lastWeek, 7 * 24 * hourMs],
] as const;

/** The address has the time itself, so that its pages and a colleague see the same list. */
function Since({
  value,
  choose,
}: {
  value: string | undefined;
  choose: (since: string | undefined) => void;
}) {
  const [openedAt] = useState(() => Date.now());
  const options = periods.map(([text, ms]) => [new Date(openedAt - ms).toISOString(), text] as const);
  const isListed = value === undefined || options.some(([since]) => since === value);
  const shown = isListed ? [] : [[value, words.since(new Date(value))] as const];
  return (
    <FilterChoice
      label={words.sinceLabel}
      any={words.anyTime}
      options={[...shown, ...options]}
      value={value}
      choose={choose}
    />
  );
}
