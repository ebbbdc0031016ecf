import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { VirtualAccount } from "../../../typescript/types.gen.ts";
import { useMay } from "../../api/people/me.ts";
import { useVirtualAccounts } from "../../api/books/virtual-accounts.ts";
import { masked } from "../../parts/values/masked.ts";
import { EmptyList, whyEmpty } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed, hasFilter } from "../../parts/page/read-search.ts";
import { visible, visibleLines } from "../../parts/values/visible-text.ts";
import { virtualAccountTexts as words } from "../../texts/virtual-accounts.ts";
import { CreateVirtualAccount } from "./create.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { VirtualAccountFilters } from "./filters.ts";
import { VirtualAccountStatus } from "./virtual-account-status.tsx";

const route = getRouteApi("/shell/virtual-accounts");

/** Which number is whose, and is it open? */
export function VirtualAccounts() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<VirtualAccountFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const accounts = useVirtualAccounts(filters);
  const mayWrite = useMay("ledger:write");
  const [isCreating, setCreating] = useState(false);
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <FilterBar filters={filters} change={change} clear={clear} />
        {mayWrite && (
          <button type="button" className="primary push" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> {words.create}
          </button>
        )}
      </div>
      <PagedList
        list={accounts}
        empty={<EmptyList {...whyEmpty(words.empty, hasFilter(filters))} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => <AccountTable accounts={items} />}
      </PagedList>
      {isCreating && (
        <CreateVirtualAccount
          ledgerAccountName={filters.ledgerAccountName ?? ""}
          close={() => setCreating(false)}
        />
      )}
    </div>
  );
}

function AccountTable({ accounts }: { accounts: readonly VirtualAccount[] }) {
  const { columns } = words;
  return (
    <div className="card scroll-x">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col">{columns.number}</th>
            <th scope="col" className="wide">
              {columns.account}
            </th>
            <th scope="col" className="wide">
              {columns.externalId}
            </th>
            <th scope="col">{columns.status}</th>
          </tr>
        </thead>
        <tbody>
          {accounts.map(({ id, name, description = null, ...account }) => (
            <tr key={id} className="link">
              <td className="name">
                <Link className="row-link" to="/virtual-accounts/$id" params={{ id }}>
                  {visible(name)}
                </Link>
                {description !== null && <small>{visibleLines(description)}</small>}
              </td>
              <td className="mono masked">{masked(account.accountNumber)}</td>
              <td className="wide name">{visible(account.ledgerAccountName)}</td>
              <td className="wide name">
                {account.externalId !== null && <span className="mono">{visible(account.externalId)}</span>}
              </td>
              <td>
                <VirtualAccountStatus status={account.status} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
