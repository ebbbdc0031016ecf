import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Counterparty, ProposedChange } from "../../../../typescript/types.gen.ts";
import { useProposedChanges } from "../../../api/orders/counterparties.ts";
import { useMay } from "../../../api/people/me.ts";
import { Card } from "../../../parts/page/card.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { Chip, type Tone } from "../../../parts/values/chip.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { counterpartyTexts } from "../../../texts/counterparties.ts";
import { orderTexts } from "../../../texts/orders.ts";
import { Correction } from "./correction.tsx";
import { DecideChange, type Verdict } from "./decide-change.tsx";

const { changes: words } = counterpartyTexts;
const tones: Record<ProposedChange["status"], Tone> = {
  Open: "warn",
  Accepted: "ok",
  Dismissed: "plain",
  Superseded: "plain",
};

/** What its bank corrects, and what became of it. */
export function ProposedChanges({ counterparty }: { counterparty: Counterparty }) {
  const { data, isError, error, refetch } = useProposedChanges(counterparty.id);
  const [decision, setDecision] = useState<{ readonly id: string; readonly verdict: Verdict }>();
  const list = useRef<HTMLUListElement>(null);
  const mayDecide = useMay("counterparties:write");
  const decided = data?.data.find(({ id }) => id === decision?.id);
  return (
    <Card title={words.title} aside={words.aside}>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading lines={2} />)}
      {data?.data.length === 0 && <p className="inset dim">{words.none}</p>}
      <ul ref={list} className="proposals" tabIndex={-1}>
        {data?.data.map((change) => (
          <li key={change.id}>
            <About change={change} counterparty={counterparty} />
            {change.status === "Open" && mayDecide && (
              <div className="actions">
                {(["accept", "dismiss"] as const).map((verdict) => (
                  <button key={verdict} type="button" onClick={() => setDecision({ id: change.id, verdict })}>
                    {words[verdict]}
                  </button>
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
      {data?.hasMore === true && <p className="inset dim">{words.more}</p>}
      {decision !== undefined && decided !== undefined && (
        <DecideChange
          key={decision.id}
          change={decided}
          verdict={decision.verdict}
          counterparty={counterparty}
          focusAfter={list}
          close={() => setDecision(undefined)}
        />
      )}
    </Card>
  );
}

function About({ change, counterparty }: { change: ProposedChange; counterparty: Counterparty }) {
  const { code, rails, status, receivedAt, correctBy, decidedAt, decidedBy, paymentOrderId } = change;
  const railNames = rails.map((rail) => orderTexts.rails[rail]).join(", ");
  return (
    <div>
      <b>{words.code(visible(code), railNames)}</b> <Chip tone={tones[status]}>{words.statuses[status]}</Chip>
      <Correction change={change} counterparty={counterparty} />
      <small className="dim">
        {words.received} <Moment at={receivedAt} /> ·{" "}
        <Link to="/orders/$id" params={{ id: paymentOrderId }}>
          {words.order}
        </Link>
      </small>
      {status === "Open" && (
        <small>
          {words.correctBy} <Moment at={correctBy} />. {words.blocked}
        </small>
      )}
      {decidedAt !== null && (
        <small className="dim">
          {words.statuses[status]} <Moment at={decidedAt} /> {words.by(visible(decidedBy ?? ""))}
        </small>
      )}
    </div>
  );
}
