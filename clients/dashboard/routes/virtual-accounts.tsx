import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { VirtualAccount } from "../../typescript/types.gen.ts";
import { useMay } from "../api/me.ts";
import { useVirtualAccounts } from "../api/virtual-accounts.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { visible, visibleLines } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { CreateVirtualAccount } from "./virtual-accounts/create.tsx";
import { FilterBar } from "./virtual-accounts/filter-bar.tsx";
import { hasFilter, type VirtualAccountFilters } from "./virtual-accounts/filters.ts";
import { VirtualAccountStatus } from "./virtual-accounts/virtual-account-status.tsx";

const { virtualAccounts: words } = texts;
const route = getRouteApi("/shell/virtual-accounts");

/** Which number is whose, and is it open? */
export function VirtualAccounts() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: VirtualAccountFilters) => void navigate({ search });
  const accounts = useVirtualAccounts(filters);
  const mayWrite = useMay("ledger:write");
  const [isCreating, setCreating] = useState(false);
  const { data } = accounts;
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <div className="bar">
        <FilterBar filters={filters} change={change} />
        {mayWrite && (
          <button type="button" className="primary push" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> {words.create}
          </button>
        )}
      </div>
      {data === undefined && accounts.isError && <Failure error={accounts.error} retry={accounts.refetch} />}
      {accounts.isPending && <Loading lines={12} />}
      {data !== undefined && (
        <>
          {data.data.length === 0 ? <Empty filters={filters} /> : <AccountTable accounts={data.data} />}
          <Pages
            before={filters.pages ?? []}
            next={data.nextCursor}
            turn={(pages) => change({ ...filters, pages })}
          />
        </>
      )}
      {isCreating && (
        <CreateVirtualAccount
          ledgerAccountName={filters.ledgerAccountName ?? ""}
          close={() => setCreating(false)}
        />
      )}
    </div>
  );
}

function Empty({ filters }: { filters: VirtualAccountFilters }) {
  const { empty } = words;
  const isFiltered = hasFilter(filters);
  return (
    <div className="card empty">
      <b>{isFiltered ? empty.filtered : empty.title}</b>
      <p>{isFiltered ? empty.filteredText : empty.text}</p>
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

/** Masked as in other answers of the API. The account's own page shows the whole number. */
function masked(accountNumber: string): string {
  return `****${accountNumber.slice(-4)}`;
}
