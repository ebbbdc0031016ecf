import { getRouteApi, Link } from "@tanstack/react-router";
import type { ObligationWithHistory } from "../../../../typescript/types.gen.ts";
import { useMay } from "../../../api/people/me.ts";
import { useFixObligation, useObligation, useRemitObligation } from "../../../api/books/obligations.ts";
import { problemOf } from "../../../api/client/problem.ts";
import { AccountLink } from "../../../parts/values/account-link.tsx";
import { Card, Details } from "../../../parts/page/card.tsx";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../../../parts/page/failure.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { money } from "../../../parts/values/money.ts";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { obligationTexts as words } from "../../../texts/obligations.ts";
import { sumOf } from "../amounts.ts";
import { Banner } from "./banner.tsx";
import { Crumb } from "./crumb.tsx";
import { Fix } from "./fix.tsx";
import { History } from "./history.tsx";
import { Lines } from "./lines.tsx";
import { ObligationStatus } from "../obligation-status.tsx";
import { Payee } from "./payee.tsx";
import { Remit } from "./remit.tsx";
import { Sums } from "./sums.tsx";

const route = getRouteApi("/shell/obligations/$id");

/** What do we owe, what does it consist of, and is it paid? */
export function Obligation() {
  const { id } = route.useParams();
  const obligation = useObligation(id);
  if (obligation.data !== undefined) return <Shown key={id} obligation={obligation.data} />;
  return (
    <>
      <PageTitle text={words.title} />
      {obligation.isError ? (
        <Failure error={obligation.error} retry={obligation.refetch} />
      ) : (
        <Loading lines={10} />
      )}
    </>
  );
}

function Shown({ obligation }: { obligation: ObligationWithHistory }) {
  const { id, status, lines } = obligation;
  // Their refusals stay visible when somebody else was first and the buttons are gone.
  const fix = useFixObligation(id);
  const remit = useRemitObligation(id);
  const mayWrite = useMay("ledger:write");
  const mayPay = useMay("orders:write");
  const refusedLine = fix.error === null ? null : problemOf(fix.error).lineIndex;
  return (
    <div className="body">
      <PageTitle text={visible(obligation.reference)} crumb={<Crumb />} />
      <div className="order-head">
        <div>
          <Lead obligation={obligation} />
          <p className="amount num">
            {money(sumOf(lines))} <ObligationStatus status={status} big />
          </p>
        </div>
        <div className="actions">
          <CopyCurl request={{ method: "GET", path: `/v1/obligations/${id}` }} />
          {status !== "Remitting" && mayWrite && (
            <Link className="button" to="/obligations/$id/edit" params={{ id }}>
              {status === "Open" ? words.edit : words.amend}
            </Link>
          )}
          {status === "Open" && mayWrite && <Fix obligation={obligation} fix={fix} />}
          {status === "Fixed" && mayPay && <Remit obligation={obligation} remit={remit} />}
        </div>
      </div>
      <Banner obligation={obligation} />
      {/* A refusal that names a line is shown at that line. */}
      {fix.error !== null && lines[refusedLine ?? -1] === undefined && <FailureNote error={fix.error} />}
      {remit.error !== null && status !== "Fixed" && <FailureNote error={remit.error} />}
      {status !== "Open" && <Sums obligation={obligation} />}
      <div className="order-columns">
        <div className="column">
          <Lines lines={lines} refusal={fix.error} />
          <History obligation={obligation} />
        </div>
        <div className="column">
          <Payee obligation={obligation} />
          <ObligationDetails obligation={obligation} />
        </div>
      </div>
    </div>
  );
}

/** `Fuel tax return to US-OR for 2026-Q1 · ob_…` */
function Lead({ obligation: { id, type, jurisdiction, period } }: { obligation: ObligationWithHistory }) {
  return (
    <p className="lead">
      <b>{words.types[type]}</b>
      {jurisdiction !== null && (
        <>
          {" "}
          {words.lead.to} <b>{visible(jurisdiction)}</b>
        </>
      )}
      {period !== null && (
        <>
          {" "}
          {words.lead.for} <b>{visible(period)}</b>
        </>
      )}{" "}
      · <span className="mono">{id}</span>
    </p>
  );
}

function ObligationDetails({ obligation }: { obligation: ObligationWithHistory }) {
  const { details } = words;
  const { liabilityLedgerAccountId: accountId, paymentOrderId: orderId } = obligation;
  return (
    <Card title={details.title}>
      <Details
        rows={[
          [details.type, words.types[obligation.type]],
          [details.jurisdiction, obligation.jurisdiction === null ? null : visible(obligation.jurisdiction)],
          [details.period, obligation.period === null ? null : visible(obligation.period)],
          [details.account, accountId === null ? null : <AccountLink key="account" id={accountId} />],
          [
            details.order,
            orderId === null ? null : (
              <Link className="mono id" to="/orders/$id" params={{ id: orderId }}>
                {orderId}
              </Link>
            ),
          ],
          [details.maker, visible(obligation.createdBy)],
          [details.made, <Moment key="made" at={obligation.createdAt} />],
          [details.changed, <Moment key="changed" at={obligation.updatedAt} />],
        ]}
      />
    </Card>
  );
}
