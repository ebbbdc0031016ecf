import { hasFilter } from "../../parts/page/read-search.ts";
import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { FilterText } from "../../parts/form/filter-text.tsx";
import { counterpartyTexts } from "../../texts/counterparties.ts";
import { type CounterpartyFilters, statuses } from "./filters.ts";

const { filters: words, statuses: statusNames } = counterpartyTexts;

interface FilterBarProps {
  readonly filters: CounterpartyFilters;
  readonly change: (by: Partial<CounterpartyFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change, clear }: FilterBarProps) {
  const { verificationStatus, show, name = "", externalId = "" } = filters;
  return (
    <div className="filters">
      <FilterChoice
        label={words.status}
        any={words.anyStatus}
        options={statuses.map((status) => [status, statusNames[status]])}
        value={verificationStatus}
        choose={(status) => change({ verificationStatus: status })}
      />
      <FilterChoice
        label={words.shownLabel}
        any={words.inUse}
        options={[["archived", words.archived]]}
        value={show}
        choose={(chosen) => change({ show: chosen })}
      />
      <FilterText
        key={`name ${name}`}
        label={words.name}
        value={name}
        choose={(chosen) => change({ name: chosen })}
      />
      <FilterText
        key={`reference ${externalId}`}
        label={words.externalId}
        value={externalId}
        choose={(chosen) => change({ externalId: chosen })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
          {words.clear}
        </button>
      )}
    </div>
  );
}
