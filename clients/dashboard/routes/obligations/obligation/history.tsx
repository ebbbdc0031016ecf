import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ObligationWithHistory } from "../../../../typescript/types.gen.ts";
import { Card } from "../../../parts/page/card.tsx";
import { inWords } from "../../../parts/values/in-words.ts";
import { Moment } from "../../../parts/values/moment.tsx";
import { money } from "../../../parts/values/money.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { obligationTexts } from "../../../texts/obligations.ts";

const { history: words } = obligationTexts;

type Accrual = ObligationWithHistory["accruals"][number];
type Remittance = ObligationWithHistory["remittances"][number];

interface Event {
  readonly key: string;
  readonly at: string;
  readonly isBad: boolean;
  readonly title: string;
  readonly content: ReactNode;
}

/** What was booked and what became of its payments, as one trace. */
export function History({ obligation }: { obligation: ObligationWithHistory }) {
  const { accruals, remittances, liabilityLedgerAccountId: accountId } = obligation;
  const events: Event[] = [
    ...accruals.map((accrual, index) => ({
      key: `accrual ${String(index)}`,
      at: accrual.at,
      isBad: false,
      title: titleOf(accrual, index),
      content: <Booked accrual={accrual} accountId={accountId} isReplaced={index < accruals.length - 1} />,
    })),
    ...remittances.map((remittance, index) => ({
      key: `remittance ${String(index)}`,
      at: remittance.at,
      isBad: remittance.event !== "Held" && remittance.event !== "Cleared",
      title: `${words.events[remittance.event]}: ${money(remittance.amountCents)}`,
      content: <Payment remittance={remittance} />,
    })),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <Card title={words.title} {...(events.length === 0 ? {} : { aside: words.aside })}>
      {events.length === 0 ? (
        <p className="dim">{words.none}</p>
      ) : (
        <ol className="timeline dated">
          {events.map(({ key, at, isBad, title, content }) => (
            <li key={key} className={isBad ? "bad" : ""}>
              <Moment at={at} />
              <span className="dot" />
              <div>
                <b>{title}</b>
                {content}
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function titleOf({ amountCents }: Accrual, index: number): string {
  if (index === 0) return words.fixed(money(amountCents));
  if (amountCents === 0) return words.same;
  return amountCents > 0 ? words.raised(money(amountCents)) : words.lowered(money(-amountCents));
}

interface BookedProps {
  readonly accrual: Accrual;
  readonly accountId: string | null;
  /** True if a later amendment has replaced its lines. */
  readonly isReplaced: boolean;
}

/** Who booked it, with the way to its journal. */
function Booked({ accrual, accountId, isReplaced }: BookedProps) {
  const { actor, ledgerTransactionId, lines } = accrual;
  return (
    <>
      <small>
        {words.by(visible(actor))}
        {ledgerTransactionId !== null && accountId !== null && (
          <>
            {" · "}
            <Link to="/ledger/$id" params={{ id: accountId }}>
              {words.journals}
            </Link>{" "}
            <span className="mono id">{ledgerTransactionId}</span>
          </>
        )}
      </small>
      {isReplaced && (
        <details>
          <summary>{words.linesThen}</summary>
          <dl className="lines-then">
            {lines.map(({ description, amountCents }, index) => (
              <div key={index}>
                <dt>{visible(description)}</dt>
                <dd className="num">{money(amountCents)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

/** Why, and the way to the order. */
function Payment({ remittance: { reason, paymentOrderId } }: { remittance: Remittance }) {
  return (
    <small>
      {reason !== null && `${visible(inWords(reason))} · `}
      <Link to="/orders/$id" params={{ id: paymentOrderId }}>
        {words.order}
      </Link>{" "}
      <span className="mono id">{paymentOrderId}</span>
    </small>
  );
}
