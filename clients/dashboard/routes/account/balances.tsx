import type { LedgerAccount } from "../../../typescript/types.gen.ts";
import { money } from "../../parts/values/money.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { ledgerTexts } from "../../texts/ledger.ts";

const { columns, asOf: words } = ledgerTexts;

/** Available, and what it is made of. What is expected never counts as available. */
export function Balances({ account }: { account: LedgerAccount }) {
  const { availableBalanceCents, postedBalanceCents, pendingBalanceCents, pendingInboundCents, asOf } =
    account;
  return (
    <div>
      <dl className="balances">
        <div className="total">
          <dt>{columns.available}</dt>
          <dd className="num">{money(availableBalanceCents)}</dd>
        </div>
        <span aria-hidden>=</span>
        <div>
          <dt>
            <i className="key posted" aria-hidden /> {columns.posted}
          </dt>
          <dd className="num">{money(postedBalanceCents)}</dd>
        </div>
        <span aria-hidden>−</span>
        <div>
          <dt>{columns.held}</dt>
          <dd className="num">{money(pendingBalanceCents)}</dd>
        </div>
        <div className="apart">
          <dt>{columns.incoming}</dt>
          <dd className="num">{money(pendingInboundCents)}</dd>
        </div>
      </dl>
      {asOf !== undefined && (
        <p className="banner warn">
          {words.shown} <Moment at={asOf} />
        </p>
      )}
    </div>
  );
}
