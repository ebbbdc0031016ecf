import { FilterChoice } from "../parts/filter-choice.tsx";
import { FilterText } from "../parts/filter-text.tsx";
import { texts } from "../texts/texts.ts";
import { directions, hasFilter, type OrderFilters, rails, statuses } from "./order-filters.ts";

const { filters: words, rails: railNames, directions: directionNames } = texts.orders;

interface FilterBarProps {
  readonly filters: OrderFilters;
  readonly change: (filters: OrderFilters) => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change }: FilterBarProps) {
  const { pages: _pages, ...kept } = filters;
  return (
    <div className="filters">
      <FilterChoice
        label={words.statusLabel}
        any={words.status}
        options={statuses.map((status) => [status, status])}
        value={filters.status}
        choose={(status) => change({ ...kept, status })}
      />
      <FilterChoice
        label={words.railLabel}
        any={words.rail}
        options={rails.map((rail) => [rail, railNames[rail]])}
        value={filters.rail}
        choose={(rail) => change({ ...kept, rail })}
      />
      <FilterChoice
        label={words.directionLabel}
        any={words.direction}
        options={directions.map((direction) => [direction, directionNames[direction]])}
        value={filters.direction}
        choose={(direction) => change({ ...kept, direction })}
      />
      <FilterText
        key={filters.externalId ?? ""}
        label={words.externalId}
        value={filters.externalId ?? ""}
        choose={(externalId) => change({ ...kept, externalId })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={() => change({})}>
          {words.clear}
        </button>
      )}
    </div>
  );
}
