import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { money } from "../../parts/values/money.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { orderTexts } from "../../texts/orders.ts";
import { rails } from "../orders/filters.ts";
import { amounts, type InboxFilters, readInboxFilters, sorts } from "./filters.ts";

const { filters: words } = approvalTexts;

interface FilterBarProps {
  readonly filters: InboxFilters;
  readonly change: (filters: InboxFilters) => void;
}

export function FilterBar({ filters, change }: FilterBarProps) {
  const set = (changed: Record<string, unknown>) => change(readInboxFilters({ ...filters, ...changed }));
  return (
    <div className="filters">
      <FilterChoice
        label={words.railLabel}
        any={words.rail}
        options={rails.map((rail) => [rail, orderTexts.rails[rail]])}
        value={filters.rail}
        choose={(rail) => set({ rail })}
      />
      <FilterChoice
        label={words.amountLabel}
        any={words.amount}
        options={amounts.map((from) => [String(from), words.from(money(from * 100))])}
        value={filters.from?.toString()}
        choose={(from) => set({ from: Number(from) })}
      />
      <FilterChoice
        label={words.sortLabel}
        any={words.sort}
        options={sorts.map((sort) => [sort, words.sorts[sort]])}
        value={filters.sort}
        choose={(sort) => set({ sort })}
      />
    </div>
  );
}
