import { hasFilter } from "../../parts/page/read-search.ts";
import { AccountNames } from "../../parts/form/account-names.tsx";
import { FilterText } from "../../parts/form/filter-text.tsx";
import { virtualAccountTexts } from "../../texts/virtual-accounts.ts";
import type { VirtualAccountFilters } from "./filters.ts";

const { filters: words } = virtualAccountTexts;

interface FilterBarProps {
  readonly filters: VirtualAccountFilters;
  readonly change: (by: Partial<VirtualAccountFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change, clear }: FilterBarProps) {
  const { ledgerAccountName = "", externalId = "" } = filters;
  return (
    <div className="filters">
      <FilterText
        key={`account ${ledgerAccountName}`}
        label={words.account}
        list="filter-accounts"
        value={ledgerAccountName}
        choose={(name) => change({ ledgerAccountName: name })}
      />
      <AccountNames id="filter-accounts" />
      <FilterText
        key={`reference ${externalId}`}
        label={words.externalId}
        value={externalId}
        choose={(reference) => change({ externalId: reference })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
          {words.clear}
        </button>
      )}
    </div>
  );
}
