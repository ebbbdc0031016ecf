import type { Reconciliation } from "../../../typescript/types.gen.ts";
import { money } from "../../parts/values/money.ts";
import { reconciliationTexts } from "../../texts/reconciliation.ts";

const { verdict: words, sums } = reconciliationTexts;

const tones = { Reconciled: "ok", Broken: "bad", NotReconciled: "warn" } as const;

/** Does the bank agree? In a sentence, and as the sums behind it. */
export function Verdict({ run }: { run: Reconciliation }) {
  const { status, reasons, matchedCount, ledgerCashCents, subLedgerCents } = run;
  return (
    <>
      <p className={`banner ${tones[status]}`}>
        <b>{sentence(run)}</b>{" "}
        {status === "Reconciled"
          ? words.matched(matchedCount)
          : reasons.map((reason) => words.reasons[reason]).join(" ")}{" "}
        {ledgerCashCents === subLedgerCents ? words.owes : words.owesDiffers}
      </p>
      <Sums run={run} />
    </>
  );
}

function sentence({ status, differenceCents }: Reconciliation): string {
  if (status === "Reconciled") return words.agrees;
  if (differenceCents === null) return words.missing;
  if (differenceCents === 0) return words.linesDiffer;
  return differenceCents > 0 ? words.more(money(differenceCents)) : words.less(money(-differenceCents));
}

function Sums({ run }: { run: Reconciliation }) {
  const { statement, closingBankBalanceCents: closing, differenceCents, inTransitCents } = run;
  const breaks = run.unmatchedBankLineCount + run.unmatchedLedgerEntryCount;
  const isBroken = run.status === "Broken";
  return (
    <div className="sums">
      <Sum
        title={sums.bank}
        cents={closing}
        note={statement === null ? sums.noStatement : sums.lines(statement.lineCount)}
      />
      <Sign isEqual={differenceCents === 0} />
      <Sum
        title={sums.ledger(run.cutoffSequence.toLocaleString("en-US"))}
        cents={run.ledgerCashCents}
        note={sums.inTransit(inTransitCents === null ? "–" : money(inTransitCents))}
      />
      <Sign isEqual={run.ledgerCashCents === run.subLedgerCents} />
      <Sum title={sums.owed} cents={run.subLedgerCents} note={sums.owedNote} />
      <Sum title={sums.difference} cents={differenceCents} note={sums.breaks(breaks)} isBad={isBroken} />
    </div>
  );
}

interface SumProps {
  readonly title: string;
  readonly cents: number | null;
  readonly note: string;
  readonly isBad?: boolean;
}

function Sum({ title, cents, note, isBad = false }: SumProps) {
  return (
    <div className={isBad ? "card sum bad" : "card sum"}>
      <small>{title}</small>
      <b className="num">{cents === null ? "–" : money(cents)}</b>
      <span>{note}</span>
    </div>
  );
}

function Sign({ isEqual }: { isEqual: boolean }) {
  return <i className={isEqual ? "sign" : "sign bad"}>{isEqual ? "=" : "≠"}</i>;
}
