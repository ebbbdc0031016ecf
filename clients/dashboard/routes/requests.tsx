import { getRouteApi } from "@tanstack/react-router";
import { errorCatalogue } from "../../../contracts/errors.ts";
import type { RefusedRequest } from "../../typescript/types.gen.ts";
import { useRefusals, useRequests } from "../api/requests.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { FilterChoice } from "../parts/filter-choice.tsx";
import { Moment } from "../parts/moment.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { isFiltered, type RequestFilters, statusClasses } from "./requests/filters.ts";
import { Refusals, StatusChip } from "./requests/refusals.tsx";

const { requests: words } = texts;
const route = getRouteApi("/shell/requests");
const codes = (Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[]).toSorted();

/** Why was I refused? */
export function Requests() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: RequestFilters) => void navigate({ search });
  const summary = useRefusals();
  const list = useRequests(filters);
  const { data: page } = list;
  const failed = [summary, list].filter(({ data, isError }) => isError && data === undefined);
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <p className="dim">{words.note}</p>
      {failed.length > 0 && (
        <Failure error={failed[0]?.error} retry={() => Promise.all(failed.map(({ refetch }) => refetch()))} />
      )}
      {summary.data !== undefined && <Refusals refusals={summary.data.data} chosen={filters.code} />}
      <FilterBar filters={filters} change={change} />
      {list.isPending && <Loading lines={12} />}
      {page !== undefined && (
        <>
          {page.data.length === 0 ? (
            <div className="card empty">
              <b>{isFiltered(filters) ? words.empty.filtered : words.empty.title}</b>
              <p>{isFiltered(filters) ? words.empty.filteredText : words.empty.text}</p>
            </div>
          ) : (
            <RequestTable requests={page.data} />
          )}
          <Pages
            before={filters.pages ?? []}
            next={page.nextCursor}
            turn={(pages) => change({ ...filters, pages })}
          />
        </>
      )}
    </div>
  );
}

interface FilterBarProps {
  readonly filters: RequestFilters;
  readonly change: (filters: RequestFilters) => void;
}

/** A changed filter begins at the first page again. */
function FilterBar({ filters, change }: FilterBarProps) {
  const { code, status } = filters;
  return (
    <div className="filters">
      <FilterChoice
        label={words.filters.codeLabel}
        any={words.filters.code}
        options={codes.map((one) => [one, one])}
        value={code}
        choose={(chosen) => change({ status, code: chosen })}
      />
      <FilterChoice
        label={words.filters.statusLabel}
        any={words.filters.status}
        options={statusClasses.map((one) => [one, words.filters.statuses[one]])}
        value={status}
        choose={(chosen) => change({ code, status: chosen })}
      />
      {isFiltered(filters) && (
        <button type="button" className="quiet" onClick={() => change({})}>
          {words.filters.clear}
        </button>
      )}
    </div>
  );
}

function RequestTable({ requests }: { requests: readonly RefusedRequest[] }) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.request}</th>
            <th scope="col">{columns.code}</th>
            <th scope="col" className="wide">
              {columns.caller}
            </th>
            <th scope="col" className="wide">
              {columns.duration}
            </th>
            <th scope="col" className="wide">
              {columns.at}
            </th>
          </tr>
        </thead>
        <tbody>
          {requests.map((request) => (
            <tr key={request.id}>
              <td>
                <span className="mono">
                  {request.method} {request.path}
                </span>
                <small className="mono">{request.id}</small>
              </td>
              <td className="name">
                <StatusChip status={request.status} />
                <small>
                  <a
                    href={`/errors/${request.code}`}
                    target="_blank"
                    rel="noreferrer"
                    aria-label={words.explained(request.code)}
                  >
                    {request.code}
                  </a>
                </small>
              </td>
              <td className="wide name">
                {visible(request.principal)}
                <small className="mono">{request.apiKeyId ?? words.person}</small>
              </td>
              <td className="wide num">{words.milliseconds(request.durationMs)}</td>
              <td className="wide">
                <Moment at={request.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
