import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { Counterparty } from "../../../typescript/types.gen.ts";
import { useCounterpartyPage } from "../../api/orders/counterparties.ts";
import { useMay } from "../../api/people/me.ts";
import { EmptyList } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed, hasFilter } from "../../parts/page/read-search.ts";
import { masked } from "../../parts/values/masked.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { counterpartyTexts as words } from "../../texts/counterparties.ts";
import { orderTexts } from "../../texts/orders.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { CounterpartyFilters } from "./filters.ts";
import { VerificationStatus } from "./verification-status.tsx";

const route = getRouteApi("/shell/counterparties");

/** Whom do we pay, are their bank details verified, and what has changed? */
export function Counterparties() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<CounterpartyFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const counterparties = useCounterpartyPage(filters);
  const mayWrite = useMay("counterparties:write");
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <FilterBar filters={filters} change={change} clear={clear} />
        {mayWrite && (
          <Link className="button primary push" to="/counterparties/new">
            <Plus aria-hidden /> {words.new}
          </Link>
        )}
      </div>
      <PagedList
        list={counterparties}
        empty={<Empty filters={filters} mayWrite={mayWrite} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => <CounterpartyTable counterparties={items} />}
      </PagedList>
    </div>
  );
}

function Empty({ filters, mayWrite }: { filters: CounterpartyFilters; mayWrite: boolean }) {
  const { empty } = words;
  const { show, ...others } = filters;
  const [title, text] = hasFilter(others)
    ? [empty.filtered, empty.filteredText]
    : show === "archived"
      ? [empty.archived, empty.archivedText]
      : [empty.title, empty.text];
  return (
    <EmptyList title={title} text={text}>
      {mayWrite && !hasFilter(filters) && (
        <Link className="button" to="/counterparties/new">
          {words.new}
        </Link>
      )}
    </EmptyList>
  );
}

function CounterpartyTable({ counterparties }: { counterparties: readonly Counterparty[] }) {
  const { columns } = words;
  return (
    <div className="card scroll-x">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col" className="wide">
              {columns.accounts}
            </th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="wide">
              {columns.changed}
            </th>
          </tr>
        </thead>
        <tbody>
          {counterparties.map(({ id, name, type, externalId, accounts, verificationStatus, updatedAt }) => (
            <tr key={id} className="link">
              <td className="name">
                <Link className="row-link" to="/counterparties/$id" params={{ id }}>
                  {visible(name)}
                </Link>
                <small>
                  {[words.types[type], externalId]
                    .flatMap((part) => (part === null ? [] : [visible(part)]))
                    .join(" · ")}
                </small>
              </td>
              <td className="wide">{accountsInShort(accounts)}</td>
              <td>
                <VerificationStatus status={verificationStatus} />
              </td>
              <td className="wide">
                <Moment at={updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `ACH •••• 6789, Wire •••• 4321`. */
function accountsInShort(accounts: Counterparty["accounts"]): string {
  if (accounts.length === 0) return words.noAccount;
  return accounts
    .map(({ rail, accountNumber }) => `${orderTexts.rails[rail]} ${masked(accountNumber)}`)
    .join(", ");
}
