import { getRouteApi, Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { VirtualAccount as Account } from "../../../../typescript/types.gen.ts";
import { useAccountAsOf } from "../../../api/books/ledger.ts";
import { useMay } from "../../../api/people/me.ts";
import { type Action, useVirtualAccount } from "../../../api/books/virtual-accounts.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Copyable } from "../../../parts/copy/copyable.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { virtualAccountTexts as words } from "../../../texts/virtual-accounts.ts";
import { ChangeStatus } from "./change-status.tsx";
import { Describe } from "./describe.tsx";
import { VirtualAccountDetails } from "./details.tsx";
import { Payments } from "./payments.tsx";
import { VirtualAccountStatus } from "../virtual-account-status.tsx";

const route = getRouteApi("/shell/virtual-accounts/$id");

/** Whose number is this, where does its money go, and who has paid in? */
export function VirtualAccount() {
  const { id } = route.useParams();
  const account = useVirtualAccount(id);
  if (account.data !== undefined) return <Shown key={id} account={account.data} />;
  return (
    <>
      <PageTitle text={words.title} />
      {account.isError ? <Failure error={account.error} retry={account.refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ account }: { account: Account }) {
  return (
    <div className="body">
      <PageTitle
        text={visible(account.name)}
        crumb={
          <>
            <Link className="crumb" to="/virtual-accounts">
              {words.title}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <Head account={account} />
      <Banner account={account} />
      <div className="order-columns">
        <div className="column">
          <Payments virtualAccountId={account.id} />
        </div>
        <div className="column">
          <VirtualAccountDetails account={account} />
        </div>
      </div>
    </div>
  );
}

function Head({ account }: { account: Account }) {
  const { id, status, accountNumber, ledgerAccountId, ledgerAccountName } = account;
  const mayWrite = useMay("ledger:write");
  return (
    <div className="order-head">
      <div>
        <p className="lead">
          {words.lead[status]}{" "}
          <Link to="/ledger/$id" params={{ id: ledgerAccountId }}>
            <b>{visible(ledgerAccountName)}</b>
          </Link>{" "}
          · <Copyable label={words.copied.id} text={id} />
        </p>
        <div className="amount account-number">
          <Copyable label={words.copied.number} text={accountNumber} />
          <span aria-live="polite">
            <VirtualAccountStatus status={status} big />
          </span>
        </div>
      </div>
      <div className="actions">
        <CopyCurl request={{ method: "GET", path: `/v1/virtual-accounts/${id}` }} />
        {mayWrite && <Actions account={account} />}
      </div>
    </div>
  );
}

function Actions({ account }: { account: Account }) {
  const [sheet, setSheet] = useState<"describe" | Action>();
  const describeButton = useRef<HTMLButtonElement>(null);
  const { open } = words.change;
  const close = () => setSheet(undefined);
  const turn = account.status === "Disabled" ? "enable" : "disable";
  return (
    <>
      <button ref={describeButton} type="button" onClick={() => setSheet("describe")}>
        {words.describe.open}
      </button>
      {account.status !== "Closed" && (
        <>
          <button type="button" onClick={() => setSheet(turn)}>
            {open[turn]}
          </button>
          <button type="button" className="bad" onClick={() => setSheet("close")}>
            {open.close}
          </button>
        </>
      )}
      {sheet === "describe" && <Describe account={account} close={close} />}
      {sheet !== undefined && sheet !== "describe" && (
        <ChangeStatus account={account} action={sheet} otherButton={describeButton} close={close} />
      )}
    </>
  );
}

/** Why its money goes to Suspense; nothing where it goes to its ledger account. */
function Banner({ account: { id, status, ledgerAccountId } }: { account: Account }) {
  const { data: ledgerAccount } = useAccountAsOf(ledgerAccountId, undefined);
  const { banner } = words;
  const reason =
    status !== "Active"
      ? banner[status]
      : ledgerAccount?.status === "Closed"
        ? banner.accountClosed
        : undefined;
  if (reason === undefined) return null;
  return (
    <p className="banner warn">
      <b>{reason[0]}</b> {reason[1]}{" "}
      <Link to="/inbound" search={{ virtualAccountId: id, status: "Suspended" }}>
        {banner.suspense}
      </Link>
    </p>
  );
}
