import { hasFilter } from "../../parts/page/read-search.ts";
import type { ObligationStatus } from "../../../typescript/types.gen.ts";
import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { FilterText } from "../../parts/form/filter-text.tsx";
import { obligationTexts } from "../../texts/obligations.ts";
import { type ObligationFilters, statuses, types } from "./filters.ts";

const { filters: words, statuses: statusNames, types: typeNames } = obligationTexts;

interface FilterBarProps {
  readonly filters: ObligationFilters;
  readonly change: (by: Partial<ObligationFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change, clear }: FilterBarProps) {
  return (
    <div className="filters">
      <fieldset className="toggles">
        <legend className="hidden-visually">{words.status}</legend>
        {statuses.map((status) => (
          <button
            key={status}
            type="button"
            aria-pressed={filters.status?.includes(status) ?? false}
            onClick={() => change({ status: toggled(filters.status ?? [], status) })}
          >
            {statusNames[status]}
          </button>
        ))}
      </fieldset>
      <FilterChoice
        label={words.typeLabel}
        any={words.type}
        options={types.map((type) => [type, typeNames[type]])}
        value={filters.type}
        choose={(type) => change({ type })}
      />
      <FilterText
        key={filters.reference ?? ""}
        label={words.reference}
        value={filters.reference ?? ""}
        choose={(reference) => change({ reference })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
          {words.clear}
        </button>
      )}
    </div>
  );
}

/** In the order of the buttons, so that one choice has one address. */
function toggled(chosen: readonly ObligationStatus[], one: ObligationStatus): ObligationStatus[] | undefined {
  const next = statuses.filter((status) => chosen.includes(status) !== (status === one));
  return next.length === 0 ? undefined : next;
}
