import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReconciliationReport } from "../../../typescript/types.gen.ts";
import { useRun } from "../../api/books/reconciliation.ts";
import { Card, Details } from "../../parts/page/card.tsx";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { bankingDayInWords, Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { reconciliationTexts as words } from "../../texts/reconciliation.ts";
import { Items } from "./items.tsx";
import { ReconcileNow } from "./reconcile-now.tsx";
import { RunStatus } from "./run-status.tsx";
import { Verdict } from "./verdict.tsx";

const route = getRouteApi("/shell/reconciliation/$id");

/** Does the bank agree? If not, which line? */
export function Run() {
  const { id } = route.useParams();
  const run = useRun(id);
  if (run.data !== undefined) return <Shown run={run.data} />;
  return (
    <>
      <PageTitle text={words.title} />
      {run.isError ? <Failure error={run.error} retry={run.refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ run }: { run: ReconciliationReport }) {
  const { items } = words;
  return (
    <div className="body">
      <PageTitle
        text={bankingDayInWords(run.date)}
        crumb={
          <>
            <Link className="crumb" to="/reconciliation">
              {words.title}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <div className="bar centred">
        <RunStatus status={run.status} />
        <Moment at={run.asOf} />
        <ReconcileNow key={run.id} read={{ method: "GET", path: `/v1/reconciliations/${run.id}` }} />
      </div>
      <Verdict run={run} />
      <Items
        title={items.breaks}
        items={breaksOf(run)}
        count={run.unmatchedBankLineCount + run.unmatchedLedgerEntryCount}
      />
      <Items
        title={items.inTransit}
        items={run.inTransit}
        count={run.inTransitCount}
        note={items.inTransitNote}
      />
      <Statement run={run} />
    </div>
  );
}

function breaksOf({ unmatchedBankLines, unmatchedLedgerEntries }: ReconciliationReport) {
  return [...unmatchedBankLines, ...unmatchedLedgerEntries].toSorted(
    (one, other) => Date.parse(one.occurredAt) - Date.parse(other.occurredAt),
  );
}

function Statement({ run }: { run: ReconciliationReport }) {
  const { statement: terms } = words;
  const { statement, openingBankBalanceCents: opening, closingBankBalanceCents: closing } = run;
  if (statement === null) return null;
  return (
    <Card title={terms.title} aside={words.sums.lines(statement.lineCount)}>
      <Details
        rows={[
          [
            terms.id,
            <span key="id" className="mono">
              {statement.id}
            </span>,
          ],
          [
            terms.hash,
            <span key="hash" className="mono">
              {statement.hash}
            </span>,
          ],
          [terms.endsAt, <Moment key="endsAt" at={statement.endsAt} />],
          [terms.opening, opening === null ? null : <span className="num">{money(opening)}</span>],
          [terms.closing, closing === null ? null : <span className="num">{money(closing)}</span>],
          [terms.matched, String(run.matchedCount)],
        ]}
      />
    </Card>
  );
}
