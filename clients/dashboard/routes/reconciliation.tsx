import { getRouteApi, Link } from "@tanstack/react-router";
import type { Reconciliation as Run } from "../../typescript/types.gen.ts";
import { useRuns } from "../api/reconciliation.ts";
import { Card } from "../parts/card.tsx";
import { Failure, Loading } from "../parts/failure.tsx";
import { FilterChoice } from "../parts/filter-choice.tsx";
import { Moment } from "../parts/moment.tsx";
import { money } from "../parts/money.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { texts } from "../texts/texts.ts";
import { type RunFilters, statuses } from "./reconciliation/filters.ts";
import { ReconcileNow } from "./reconciliation/reconcile-now.tsx";
import { RunStatus } from "./reconciliation/run-status.tsx";
import { Verdict } from "./reconciliation/verdict.tsx";

const { reconciliation: words } = texts;
const route = getRouteApi("/shell/reconciliation");

/** Does the bank agree? The latest run in full, and those before it. */
export function Reconciliation() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: RunFilters) => void navigate({ search });
  const runs = useRuns(filters);
  const { data } = runs;
  const isFiltered = filters.status !== undefined || filters.date !== undefined;
  const latest = isFiltered || filters.pages?.length ? undefined : data?.data[0];
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <Filters filters={filters} change={change} />
        <ReconcileNow />
      </div>
      {data === undefined && runs.isError && <Failure error={runs.error} retry={runs.refetch} />}
      {runs.isPending && <Loading lines={12} />}
      {latest !== undefined && <Verdict run={latest} />}
      {data !== undefined && (
        <>
          {data.data.length === 0 ? <Empty isFiltered={isFiltered} /> : <RunTable runs={data.data} />}
          <Pages
            before={filters.pages ?? []}
            next={data.nextCursor}
            turn={(pages) => change({ ...filters, pages })}
          />
        </>
      )}
    </div>
  );
}

interface FiltersProps {
  readonly filters: RunFilters;
  readonly change: (filters: RunFilters) => void;
}

function Filters({ filters: { status, date }, change }: FiltersProps) {
  const { filters: labels } = words;
  const ofStatus = status === undefined ? {} : { status };
  const ofDate = date === undefined ? {} : { date };
  return (
    <div className="filters">
      <FilterChoice
        label={labels.status}
        any={labels.any}
        options={statuses.map((one) => [one, words.statuses[one]] as const)}
        value={status}
        choose={(chosen) => change(chosen === undefined ? ofDate : { ...ofDate, status: chosen })}
      />
      <input
        type="date"
        aria-label={labels.date}
        value={date ?? ""}
        onChange={({ target: { value } }) => change(value === "" ? ofStatus : { ...ofStatus, date: value })}
      />
      {(status !== undefined || date !== undefined) && (
        <button type="button" className="quiet" onClick={() => change({})}>
          {labels.clear}
        </button>
      )}
    </div>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const { empty } = words;
  return (
    <div className="card empty">
      <b>{isFiltered ? empty.filtered : empty.title}</b>
      <p>{isFiltered ? empty.filteredText : empty.text}</p>
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
          {run.date}
        </Link>
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
