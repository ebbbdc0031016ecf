import { useState } from "react";
import { hasFilter } from "../../parts/page/read-search.ts";
import { FilterAmount } from "../../parts/form/filter-amount.tsx";
import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { FilterDay } from "../../parts/form/filter-day.tsx";
import { FilterText } from "../../parts/form/filter-text.tsx";
import { AccountNames } from "../../parts/form/account-names.tsx";
import { orderTexts } from "../../texts/orders.ts";
import { directions, type OrderFilters, rails, statuses } from "./filters.ts";

const { filters: words, rails: railNames, directions: directionNames } = orderTexts;

interface FilterBarProps {
  readonly filters: OrderFilters;
  readonly change: (by: Partial<OrderFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
export function FilterBar({ filters, change, clear }: FilterBarProps) {
  return (
    <div className="filters">
      <FilterChoice
        label={words.statusLabel}
        any={words.status}
        options={statuses.map((status) => [status, status])}
        value={filters.status}
        choose={(status) => change({ status })}
      />
      <FilterChoice
        label={words.railLabel}
        any={words.rail}
        options={rails.map((rail) => [rail, railNames[rail]])}
        value={filters.rail}
        choose={(rail) => change({ rail })}
      />
      <FilterChoice
        label={words.directionLabel}
        any={words.direction}
        options={directions.map((direction) => [direction, directionNames[direction]])}
        value={filters.direction}
        choose={(direction) => change({ direction })}
      />
      <FilterText
        key={filters.externalId ?? ""}
        label={words.externalId}
        value={filters.externalId ?? ""}
        choose={(externalId) => change({ externalId })}
      />
      <AccountFilter filters={filters} change={change} />
      <FilterAmount
        key={`from ${String(filters.fromCents)}`}
        label={words.fromAmount}
        cents={filters.fromCents}
        choose={(fromCents) => change({ fromCents })}
      />
      <FilterAmount
        key={`to ${String(filters.toCents)}`}
        label={words.toAmount}
        cents={filters.toCents}
        choose={(toCents) => change({ toCents })}
      />
      <FilterDay
        label={words.createdFrom}
        day={filters.createdFrom}
        choose={(createdFrom) => change({ createdFrom })}
      />
      <FilterDay
        label={words.createdTo}
        day={filters.createdTo}
        choose={(createdTo) => change({ createdTo })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
          {words.clear}
        </button>
      )}
    </div>
  );
}

function AccountFilter({ filters, change }: Omit<FilterBarProps, "clear">) {
  const name = filters.ledgerAccountName ?? "";
  const [typed, setTyped] = useState(name);
  return (
    <>
      <FilterText
        key={name}
        label={words.account}
        value={name}
        list="order-accounts"
        typing={setTyped}
        choose={(ledgerAccountName) => change({ ledgerAccountName })}
      />
      <AccountNames id="order-accounts" typed={typed} />
    </>
  );
}
