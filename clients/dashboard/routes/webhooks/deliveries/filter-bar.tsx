import { hasFilter } from "../../../parts/page/read-search.ts";
import { useEndpoints } from "../../../api/developers/endpoints.ts";
import { FilterChoice } from "../../../parts/form/filter-choice.tsx";
import { FilterText } from "../../../parts/form/filter-text.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { Since } from "../since.tsx";
import { type DeliveryFilters, statuses } from "./filters.ts";

const { filters: words, statuses: statusNames, eventTypes } = webhookTexts;

interface FilterBarProps {
  readonly filters: DeliveryFilters;
  readonly change: (by: Partial<DeliveryFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change, clear }: FilterBarProps) {
  const { data: endpoints = [] } = useEndpoints();
  return (
    <div className="filters">
      <FilterChoice
        label={words.statusLabel}
        any={words.status}
        options={statuses.map((status) => [status, statusNames[status]])}
        value={filters.status}
        choose={(status) => change({ status })}
      />
      <FilterChoice
        label={words.typeLabel}
        any={words.type}
        options={Object.keys(eventTypes).map((type) => [type, type])}
        value={filters.eventType}
        choose={(eventType) => change({ eventType })}
      />
      <FilterChoice
        label={words.endpointLabel}
        any={words.endpoint}
        options={endpoints.map(({ id, url, description }) => [id, visible(description ?? url)])}
        value={filters.endpointId}
        choose={(endpointId) => change({ endpointId })}
      />
      <Since value={filters.since} choose={(since) => change({ since })} />
      <FilterText
        key={filters.objectId ?? ""}
        label={words.objectId}
        value={filters.objectId ?? ""}
        choose={(objectId) => change({ objectId })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
          {words.clear}
        </button>
      )}
    </div>
  );
}
