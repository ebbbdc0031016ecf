import { getRouteApi, Link } from "@tanstack/react-router";
import type { LedgerAccount } from "../../typescript/types.gen.ts";
import { useAccountAsOf } from "../api/ledger.ts";
import { CopyCurl } from "../parts/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../parts/failure.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { AsOf } from "./account/as-of.tsx";
import { Balances } from "./account/balances.tsx";
import { History } from "./account/history.tsx";
import { Journals } from "./account/journals.tsx";
import type { AccountView } from "./ledger/filters.ts";

const { ledger: words } = texts;
const route = getRouteApi("/shell/ledger/$id");

/** What is in this account, and why? */
export function Account() {
  const { id } = route.useParams();
  const account = useAccountAsOf(id, undefined);
  if (account.data !== undefined) return <Shown account={account.data} />;
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
  const change = (search: AccountView) => void navigate({ search });
  const past = useAccountAsOf(account.id, view.asOf);
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
        <Balances account={past.data ?? account} />
        <div className="actions">
          <AsOf key={view.asOf ?? ""} view={view} change={change} />
          {account.normalBalance === "Credit" && (
            <Link className="button" to="/virtual-accounts" search={{ ledgerAccountName: account.name }}>
              {words.virtualAccounts}
            </Link>
          )}
          <CopyCurl request={{ method: "GET", path: `/v1/ledger-accounts/${account.id}/journals` }} />
        </div>
      </div>
      {past.isError && <FailureNote error={past.error} />}
      <History id={account.id} view={view} change={change} />
      <Journals id={account.id} view={view} change={change} />
    </div>
  );
}
