import { getRouteApi, Link } from "@tanstack/react-router";
import type { Reconciliation as Run } from "../../../typescript/types.gen.ts";
import { useRuns } from "../../api/books/reconciliation.ts";
import { EmptyList, whyEmpty } from "../../parts/page/empty-list.tsx";
import { Card } from "../../parts/page/card.tsx";
import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { FilterDay } from "../../parts/form/filter-day.tsx";
import { bankingDateInWords, Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed } from "../../parts/page/read-search.ts";
import { reconciliationTexts as words } from "../../texts/reconciliation.ts";
import { type RunFilters, statuses } from "./filters.ts";
import { ReconcileNow } from "./reconcile-now.tsx";
import { RunStatus } from "./run-status.tsx";
import { Verdict } from "./verdict.tsx";

const route = getRouteApi("/shell/reconciliation");

/** Does the bank agree? The latest run in full, and those before it. */
export function Reconciliation() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<RunFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const runs = useRuns(filters);
  const isFiltered = filters.status !== undefined || filters.date !== undefined;
  const latest = isFiltered || filters.pages?.length ? undefined : runs.data?.data[0];
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <Filters filters={filters} change={change} clear={clear} />
        <ReconcileNow />
      </div>
      {latest !== undefined && <Verdict run={latest} />}
      <PagedList
        list={runs}
        empty={<EmptyList {...whyEmpty(words.empty, isFiltered)} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => <RunTable runs={items} />}
      </PagedList>
    </div>
  );
}

interface FiltersProps {
  readonly filters: RunFilters;
  readonly change: (by: Partial<RunFilters>) => void;
  readonly clear: () => void;
}

function Filters({ filters: { status, date }, change, clear }: FiltersProps) {
  const { filters: labels } = words;
  return (
    <div className="filters">
      <FilterChoice
        label={labels.status}
        any={labels.any}
        options={statuses.map((one) => [one, words.statuses[one]] as const)}
        value={status}
        choose={(chosen) => change({ status: chosen })}
      />
      <FilterDay label={labels.date} day={date} choose={(day) => change({ date: day })} />
      {(status !== undefined || date !== undefined) && (
        <button type="button" className="quiet" onClick={clear}>
          {labels.clear}
        </button>
      )}
    </div>
  );
}

function RunTable({ runs }: { runs: readonly Run[] }) {
  const { title, aside, table, columns } = words.runs;
  return (
    <Card title={title} aside={aside}>
      <table className="list runs">
        <caption className="hidden-visually">{table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.day}</th>
            <th scope="col" className="wide">
              {columns.made}
            </th>
            <th scope="col">{columns.result}</th>
            <th scope="col" className="right wide">
              {columns.bank}
            </th>
            <th scope="col" className="right wide">
              {columns.ledger}
            </th>
            <th scope="col" className="right wide">
              {columns.matched}
            </th>
            <th scope="col" className="right">
              {columns.difference}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function RunRow({ run }: { run: Run }) {
  const { closingBankBalanceCents: closing, differenceCents: difference } = run;
  return (
    <tr className="link">
      <td>
        <Link className="row-link num" to="/reconciliation/$id" params={{ id: run.id }}>
          {bankingDateInWords(run.date)}
        </Link>
        <small className="narrow">
          <Moment at={run.asOf} as="time" />
        </small>
      </td>
      <td className="wide">
        <Moment at={run.asOf} />
      </td>
      <td>
        <RunStatus status={run.status} />
      </td>
      <td className="right num wide">{closing === null ? "–" : money(closing)}</td>
      <td className="right num wide">{money(run.ledgerCashCents)}</td>
      <td className="right num wide">{run.matchedCount.toLocaleString("en-US")}</td>
      <td className={difference === 0 ? "right num dim" : "right num strong"}>
        {difference === null ? "–" : money(difference)}
      </td>
    </tr>
  );
}
