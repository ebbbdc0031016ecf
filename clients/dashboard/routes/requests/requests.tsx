import { getRouteApi } from "@tanstack/react-router";
import { errorCatalogue } from "../../../../contracts/errors.ts";
import type { RefusedRequest } from "../../../typescript/types.gen.ts";
import { useRefusals, useRequests } from "../../api/developers/requests.ts";
import { EmptyList, whyEmpty } from "../../parts/page/empty-list.tsx";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { Pages } from "../../parts/page/pages.tsx";
import { changed, hasFilter } from "../../parts/page/read-search.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { requestTexts as words } from "../../texts/requests.ts";
import { type RequestFilters, statusClasses } from "./filters.ts";
import { Refusals, StatusChip, titleOf } from "./refusals.tsx";

const route = getRouteApi("/shell/requests");
const codes = (Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[]).toSorted();

/** Why was I refused? */
export function Requests() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<RequestFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
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
      <FilterBar filters={filters} change={change} clear={clear} />
      {list.isPending && <Loading lines={12} />}
      {page !== undefined && (
        <>
          {page.data.length === 0 ? (
            <EmptyList {...whyEmpty(words.empty, hasFilter(filters))} />
          ) : (
            <RequestTable requests={page.data} />
          )}
          <Pages
            cursors={filters.pages ?? []}
            next={list.isPlaceholderData ? null : page.nextCursor}
            isTurning={list.isPlaceholderData}
            turn={(pages) => change({ pages })}
          />
        </>
      )}
    </div>
  );
}

interface FilterBarProps {
  readonly filters: RequestFilters;
  readonly change: (by: Partial<RequestFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
function FilterBar({ filters, change, clear }: FilterBarProps) {
  const { code, status } = filters;
  return (
    <div className="filters">
      <FilterChoice
        label={words.filters.codeLabel}
        any={words.filters.code}
        options={codes.map((one) => [one, one])}
        value={code}
        choose={(chosen) => change({ code: chosen })}
      />
      <FilterChoice
        label={words.filters.statusLabel}
        any={words.filters.status}
        options={statusClasses.map((one) => [one, words.filters.statuses[one]])}
        value={status}
        choose={(chosen) => change({ status: chosen })}
      />
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
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
            <th scope="col" className="right wide">
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
                <StatusChip status={request.status} /> {titleOf(request.code)}
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
              <td className="right wide num">{words.milliseconds(request.durationMs)}</td>
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
