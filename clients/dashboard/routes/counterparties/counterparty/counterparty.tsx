import { getRouteApi, Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Counterparty as Party } from "../../../../typescript/types.gen.ts";
import { useCurrentCounterparty } from "../../../api/orders/counterparties.ts";
import { useMay, useMe } from "../../../api/people/me.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Copyable } from "../../../parts/copy/copyable.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { counterpartyTexts as words } from "../../../texts/counterparties.ts";
import { Crumb } from "../crumb.tsx";
import { VerificationStatus } from "../verification-status.tsx";
import { Accounts } from "./accounts.tsx";
import { CounterpartyDetails } from "./details.tsx";
import { ArchiveOrRestore } from "./archive-or-restore.tsx";
import { Orders } from "./orders.tsx";
import { ProposedChanges } from "./proposed-changes.tsx";
import { Verify } from "./verify.tsx";

const route = getRouteApi("/shell/counterparties/$id");

/** Who is this, are the bank details verified and by whom, and what does its bank correct? */
export function Counterparty() {
  const { id } = route.useParams();
  const { data, isError, error, refetch } = useCurrentCounterparty(id);
  if (data !== undefined) return <Shown key={id} counterparty={data} />;
  return (
    <>
      <PageTitle text={words.title} />
      {isError ? <Failure error={error} retry={refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ counterparty }: { counterparty: Party }) {
  return (
    <div className="body">
      <PageTitle text={visible(counterparty.name)} crumb={<Crumb />} />
      <Head counterparty={counterparty} />
      <Banner counterparty={counterparty} />
      <div className="order-columns">
        <div className="column">
          <Accounts counterparty={counterparty} />
          <ProposedChanges counterparty={counterparty} />
          <Orders counterpartyId={counterparty.id} />
        </div>
        <div className="column">
          <CounterpartyDetails counterparty={counterparty} />
        </div>
      </div>
    </div>
  );
}

function Head({ counterparty }: { counterparty: Party }) {
  const { id, type, verificationStatus, archivedAt } = counterparty;
  const mayWrite = useMay("counterparties:write");
  const canOrder = useMay("orders:write") && verificationStatus === "Verified" && archivedAt === null;
  return (
    <div className="order-head">
      <p className="lead">
        {words.types[type]} · <Copyable label={words.copied.id} text={id} />{" "}
        <span aria-live="polite">
          <VerificationStatus status={verificationStatus} big />
        </span>
      </p>
      <div className="actions">
        <CopyCurl request={{ method: "GET", path: `/v1/counterparties/${id}` }} />
        {canOrder && (
          <Link className="button" to="/orders/new" search={{ counterpartyId: id }}>
            {words.newOrder}
          </Link>
        )}
        {mayWrite && <Actions counterparty={counterparty} />}
      </div>
    </div>
  );
}

function Actions({ counterparty }: { counterparty: Party }) {
  const [sheet, setSheet] = useState<"verify" | "archive" | "restore">();
  const edit = useRef<HTMLAnchorElement>(null);
  const close = () => setSheet(undefined);
  const { id, archivedAt, verificationStatus } = counterparty;
  const refusal = useVerifyRefusal(counterparty);
  const isOpen = verificationStatus !== "Verified" && archivedAt === null;
  return (
    <>
      <Link ref={edit} className="button" to="/counterparties/$id/edit" params={{ id }}>
        {words.edit}
      </Link>
      {archivedAt === null ? (
        <button type="button" className="bad" onClick={() => setSheet("archive")}>
          {words.archive.open}
        </button>
      ) : (
        <button type="button" onClick={() => setSheet("restore")}>
          {words.restore.open}
        </button>
      )}
      {isOpen && refusal === undefined && (
        <button type="button" className="primary" onClick={() => setSheet("verify")}>
          {words.verify.open}
        </button>
      )}
      {isOpen && refusal !== undefined && <p className="notice">{refusal}</p>}
      {sheet === "verify" && <Verify counterparty={counterparty} focusAfter={edit} close={close} />}
      {(sheet === "archive" || sheet === "restore") && (
        <ArchiveOrRestore counterparty={counterparty} action={sheet} focusAfter={edit} close={close} />
      )}
    </>
  );
}

/** Why this person can't verify it, before they try. */
function useVerifyRefusal({ accounts, detailsEnteredBy }: Party): string | undefined {
  const { data: me } = useMe();
  if (accounts.length === 0) return words.verify.noAccount;
  return me !== undefined && detailsEnteredBy.includes(me.principal) ? words.verify.own : undefined;
}

/** Whether orders can name it, and who made it so. */
function Banner({ counterparty }: { counterparty: Party }) {
  const { verificationStatus: status, verifiedBy, verifiedAt, archivedAt, archivedBy } = counterparty;
  const { banner } = words;
  if (archivedAt !== null) {
    return (
      <p className="banner" aria-live="polite">
        <b>{banner.archived}</b> {banner.archivedBy(visible(archivedBy ?? ""))}, <Moment at={archivedAt} />.
      </p>
    );
  }
  if (status === "Verified") {
    return (
      <p className="banner ok" aria-live="polite">
        <b>{banner.Verified}</b> {banner.verifiedBy(visible(verifiedBy ?? ""))}
        {verifiedAt !== null && (
          <>
            , <Moment at={verifiedAt} />
          </>
        )}
        .
      </p>
    );
  }
  const [title, text] = banner[status];
  return (
    <p className={status === "Failed" ? "banner bad" : "banner warn"} aria-live="polite">
      <b>{title}</b> {text}
    </p>
  );
}
