import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { LedgerAccount } from "../../typescript/types.gen.ts";
import { useAccounts } from "../api/ledger.ts";
import { Chip } from "../parts/chip.tsx";
import { Failure, Loading } from "../parts/failure.tsx";
import { money } from "../parts/money.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import type { AccountFilters } from "./ledger/filters.ts";

const { ledger: words } = texts;
const route = getRouteApi("/shell/ledger");

/** How much is in which account? */
export function Ledger() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: AccountFilters) => void navigate({ search });
  const accounts = useAccounts(filters);
  const { data } = accounts;
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <Filters key={filters.name ?? ""} filters={filters} change={change} />
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
    </div>
  );
}

interface FiltersProps {
  readonly filters: AccountFilters;
  readonly change: (filters: AccountFilters) => void;
}

/** Searches a name on Enter: each letter would be a request. */
function Filters({ filters: { owner, name }, change }: FiltersProps) {
  const [text, setText] = useState(name ?? "");
  const ofOwner = owner === undefined ? {} : { owner };
  return (
    <div className="filters">
      <select
        aria-label={words.owner.label}
        className={owner === undefined ? "" : "set"}
        value={owner ?? "Tenant"}
        onChange={(event) => change(event.target.value === "System" ? { owner: "System" } : {})}
      >
        <option value="Tenant">{words.owner.Tenant}</option>
        <option value="System">{words.owner.System}</option>
      </select>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change(text.trim() === "" ? ofOwner : { ...ofOwner, name: text.trim() });
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
        <button type="button" className="quiet" onClick={() => change(ofOwner)}>
          {words.clear}
        </button>
      )}
    </div>
  );
}

function Empty({ filters }: { filters: AccountFilters }) {
  const isFiltered = filters.name !== undefined || filters.owner !== undefined;
  const { empty } = words;
  return (
    <div className="card empty">
      <b>{isFiltered ? empty.filtered : empty.title}</b>
      <p>{isFiltered ? empty.filteredText : empty.text}</p>
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
            <tr key={account.id} className="link">
              <td>
                <Link className="row-link" to="/ledger/$id" params={{ id: account.id }}>
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
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Remark({ account: { description, externalId } }: { account: LedgerAccount }) {
  const remark = [description, externalId].filter((text) => text !== null).map(visible);
  return remark.length === 0 ? null : <small>{remark.join(" · ")}</small>;
}
