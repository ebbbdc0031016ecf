import { AccountNames } from "../../parts/account-names.tsx";
import { FilterText } from "../../parts/filter-text.tsx";
import { texts } from "../../texts/texts.ts";
import { hasFilter, type VirtualAccountFilters } from "./filters.ts";

const { filters: words } = texts.virtualAccounts;

interface FilterBarProps {
  readonly filters: VirtualAccountFilters;
  readonly change: (filters: VirtualAccountFilters) => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change }: FilterBarProps) {
  const { pages: _pages, ...kept } = filters;
  const { ledgerAccountName = "", externalId = "" } = filters;
  return (
    <div className="filters">
      <FilterText
        key={`account ${ledgerAccountName}`}
        label={words.account}
        list="filter-accounts"
        value={ledgerAccountName}
        choose={(name) => change({ ...kept, ledgerAccountName: name })}
      />
      <AccountNames id="filter-accounts" />
      <FilterText
        key={`reference ${externalId}`}
        label={words.externalId}
        value={externalId}
        choose={(reference) => change({ ...kept, externalId: reference })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={() => change({})}>
          {words.clear}
        </button>
      )}
    </div>
  );
}
