import type { Obligation } from "../../../../typescript/types.gen.ts";
import { money } from "../../../parts/values/money.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { paidOf } from "../amounts.ts";

const { sums: words } = obligationTexts;

/** What is owed, less what is paid, is what remains. */
export function Sums({ obligation }: { obligation: Obligation }) {
  const { fixedCents, outstandingCents } = obligation;
  return (
    <dl className="owed-sums">
      <Sum title={words.owed} cents={fixedCents} />
      <i aria-hidden>−</i>
      <Sum title={words.paid} cents={paidOf(obligation)} />
      <i aria-hidden>=</i>
      <Sum title={words.remaining} cents={outstandingCents} />
    </dl>
  );
}

function Sum({ title, cents }: { title: string; cents: number }) {
  return (
    <div className="card">
      <dt>{title}</dt>
      <dd className="num">{money(cents)}</dd>
    </div>
  );
}
