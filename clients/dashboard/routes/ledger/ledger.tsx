import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { LedgerAccount } from "../../../typescript/types.gen.ts";
import { accountQuery, useAccounts } from "../../api/books/ledger.ts";
import { Chip } from "../../parts/values/chip.tsx";
import { money } from "../../parts/values/money.ts";
import { EmptyList, whyEmpty } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed } from "../../parts/page/read-search.ts";
import { usePrefetch } from "../../parts/page/prefetch.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { ledgerTexts as words } from "../../texts/ledger.ts";
import type { AccountFilters } from "./filters.ts";

const route = getRouteApi("/shell/ledger");

/** How much is in which account? */
export function Ledger() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<AccountFilters>) => void navigate({ search: (now) => changed(now, by) });
  const accounts = useAccounts(filters);
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <Filters key={filters.name ?? ""} filters={filters} change={change} />
      <PagedList
        list={accounts}
        empty={
          <EmptyList {...whyEmpty(words.empty, filters.name !== undefined || filters.owner !== undefined)} />
        }
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => <AccountTable accounts={items} />}
      </PagedList>
    </div>
  );
}

interface FiltersProps {
  readonly filters: AccountFilters;
  readonly change: (by: Partial<AccountFilters>) => void;
}

/** Searches a name on Enter: each letter would be a request. */
function Filters({ filters: { owner, name }, change }: FiltersProps) {
  const [text, setText] = useState(name ?? "");
  return (
    <div className="filters">
      <select
        aria-label={words.owner.label}
        className={owner === undefined ? "" : "set"}
        value={owner ?? "Tenant"}
        onChange={({ target: { value } }) =>
          change({ owner: value === "System" ? "System" : undefined, name: undefined })
        }
      >
        <option value="Tenant">{words.owner.Tenant}</option>
        <option value="System">{words.owner.System}</option>
      </select>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change({ name: text.trim() === "" ? undefined : text.trim() });
        }}
      >
        <input
          aria-label={words.name}
          placeholder={words.name}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      {name !== undefined && (
        <button type="button" className="quiet" onClick={() => change({ name: undefined })}>
          {words.clear}
        </button>
      )}
    </div>
  );
}

function AccountTable({ accounts }: { accounts: readonly LedgerAccount[] }) {
  const { columns } = words;
  return (
    <div className="card scroll-x">
      <table className="list accounts">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.account}</th>
            <th scope="col" className="right wide">
              {columns.posted}
            </th>
            <th scope="col" className="right wide">
              {columns.held}
            </th>
            <th scope="col" className="right wide">
              {columns.incoming}
            </th>
            <th scope="col" className="right">
              {columns.available}
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <AccountRow key={account.id} account={account} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AccountRow({ account }: { account: LedgerAccount }) {
  const readAhead = usePrefetch((client) => client.prefetchQuery(accountQuery(account.id)));
  return (
    <tr className="link">
      <td>
        <Link className="row-link" to="/ledger/$id" params={{ id: account.id }} {...readAhead}>
          {visible(account.name)}
        </Link>{" "}
        {account.status === "Closed" && <Chip>{words.closed}</Chip>}
        <Remark account={account} />
      </td>
      <td className="right num wide">{money(account.postedBalanceCents)}</td>
      <td className="right num wide dim">{money(account.pendingBalanceCents)}</td>
      <td className="right num wide dim">{money(account.pendingInboundCents)}</td>
      <td className="right num strong">{money(account.availableBalanceCents)}</td>
    </tr>
  );
}

function Remark({ account: { description, externalId } }: { account: LedgerAccount }) {
  const remark = [description, externalId].filter((text) => text !== null).map(visible);
  return remark.length === 0 ? null : <small>{remark.join(" · ")}</small>;
}
