import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { Obligation } from "../../../typescript/types.gen.ts";
import { useMay } from "../../api/people/me.ts";
import { obligationQuery, useObligations } from "../../api/books/obligations.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { EmptyList, whyEmpty } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed, hasFilter } from "../../parts/page/read-search.ts";
import { usePrefetch } from "../../parts/page/prefetch.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { obligationTexts as words } from "../../texts/obligations.ts";
import { paidOf, sumOf } from "./amounts.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { ObligationFilters } from "./filters.ts";
import { ObligationStatus } from "./obligation-status.tsx";

const route = getRouteApi("/shell/obligations");

/** What do we owe, since when, and is it paid? */
export function Obligations() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<ObligationFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const obligations = useObligations(filters);
  const mayWrite = useMay("ledger:write");
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <FilterBar filters={filters} change={change} clear={clear} />
        {mayWrite && (
          <Link className="button primary push" to="/obligations/new">
            <Plus aria-hidden /> {words.new}
          </Link>
        )}
      </div>
      <PagedList
        list={obligations}
        empty={<EmptyList {...whyEmpty(words.empty, hasFilter(filters))} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => <ObligationTable obligations={items} />}
      </PagedList>
    </div>
  );
}

function ObligationTable({ obligations }: { obligations: readonly Obligation[] }) {
  const { columns } = words;
  return (
    <div className="card scroll-x">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.obligation}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="wide">
              {columns.made}
            </th>
            <th scope="col" className="right wide">
              {columns.owed}
            </th>
            <th scope="col" className="right wide">
              {columns.paid}
            </th>
            <th scope="col" className="right">
              {columns.remaining}
            </th>
          </tr>
        </thead>
        <tbody>
          {obligations.map((obligation) => (
            <ObligationRow key={obligation.id} obligation={obligation} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ObligationRow({ obligation }: { obligation: Obligation }) {
  const { id, reference, type, jurisdiction, period, status, fixedCents, outstandingCents } = obligation;
  const remark = [words.types[type], jurisdiction, period].flatMap((part) =>
    part === null ? [] : [visible(part)],
  );
  const paidCents = paidOf(obligation);
  const readAhead = usePrefetch((client) => client.prefetchQuery(obligationQuery(id)));
  return (
    <tr className="link">
      <td className="name">
        <Link className="row-link" to="/obligations/$id" params={{ id }} {...readAhead}>
          {visible(reference)}
        </Link>
        <small>{remark.join(" · ")}</small>
      </td>
      <td>
        <ObligationStatus status={status} />
      </td>
      <td className="wide">
        <Moment at={obligation.createdAt} />
      </td>
      {status === "Open" ? (
        <>
          <td className="right wide dim">–</td>
          <td className="right wide dim">–</td>
          <td className="right num dim">
            {money(sumOf(obligation.lines))}
            <small>{words.notBooked}</small>
          </td>
        </>
      ) : (
        <>
          <td className="right num wide">{money(fixedCents)}</td>
          <td className={paidCents === 0 ? "right num wide dim" : "right num wide"}>{money(paidCents)}</td>
          <td className={outstandingCents === 0 ? "right num dim" : "right num strong"}>
            {money(outstandingCents)}
          </td>
        </>
      )}
    </tr>
  );
}
