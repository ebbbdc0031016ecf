import { getRouteApi, Link } from "@tanstack/react-router";
import type { LedgerAccount } from "../../../typescript/types.gen.ts";
import { useAccountAsOf } from "../../api/books/ledger.ts";
import { problemOf } from "../../api/client/problem.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../../parts/page/failure.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { ledgerTexts as words } from "../../texts/ledger.ts";
import { AsOf } from "./as-of.tsx";
import { Balances } from "./balances.tsx";
import { History } from "./history.tsx";
import { Journals } from "./journals.tsx";
import type { AccountView } from "../ledger/filters.ts";

const route = getRouteApi("/shell/ledger/$id");

/** What is in this account, and why? */
export function Account() {
  const { id } = route.useParams();
  const account = useAccountAsOf(id, undefined);
  if (account.data !== undefined) return <Shown key={account.data.id} account={account.data} />;
  return (
    <>
      <PageTitle text={words.title} />
      {account.isError ? <Failure error={account.error} retry={account.refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ account }: { account: LedgerAccount }) {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<AccountView>) => void navigate({ search: (now) => ({ ...now, ...by }) });
  const isReadable = view.asOf === undefined || !Number.isNaN(Date.parse(view.asOf));
  const past = useAccountAsOf(account.id, isReadable ? view.asOf : undefined);
  const problem = past.isError ? problemOf(past.error) : undefined;
  // Most often because of the time: it is before the account's first journal, or in the future.
  const isRefused = problem !== undefined && [400, 404].includes(problem.status);
  const fault = isReadable ? (isRefused ? problem.detail : undefined) : words.asOf.unreadable;
  return (
    <div className="body">
      <PageTitle
        text={visible(account.name)}
        crumb={
          <>
            <Link className="crumb" to="/ledger">
              {words.title}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <div className="account-head">
        {fault === undefined && past.data !== undefined && <Balances account={past.data} />}
        {past.isPending && <Loading lines={2} />}
        <div className="actions">
          <AsOf key={view.asOf ?? ""} view={view} change={change} fault={fault} />
          {account.normalBalance === "Credit" && (
            <Link className="button" to="/virtual-accounts" search={{ ledgerAccountName: account.name }}>
              {words.virtualAccounts}
            </Link>
          )}
          <CopyCurl request={{ method: "GET", path: `/v1/ledger-accounts/${account.id}/journals` }} />
        </div>
      </div>
      {past.isError && !isRefused && <FailureNote error={past.error} />}
      <History id={account.id} view={view} change={change} />
      <Journals id={account.id} view={view} change={change} />
    </div>
  );
}
