import { Link } from "@tanstack/react-router";
import type { ReconciliationItem } from "../../../typescript/types.gen.ts";
import { mode } from "../../book.ts";
import { useMay } from "../../api/people/me.ts";
import { Card } from "../../parts/page/card.tsx";
import { inWords } from "../../parts/values/in-words.ts";
import { bankingDateInWords, Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { reconciliationTexts } from "../../texts/reconciliation.ts";
import { Correction } from "./correction.tsx";

const { items: words } = reconciliationTexts;

interface ItemsProps {
  readonly title: string;
  readonly items: readonly ReconciliationItem[];
  /** How many there are; the API shows the oldest. */
  readonly count: number;
  readonly note?: string;
}

/** What a run left open, each with the line it is about. Nothing where there is none. */
export function Items({ title, items, count, note = words.oldestFirst }: ItemsProps) {
  const maySimulate = useMay("simulate") && mode === "Test";
  if (items.length === 0) return null;
  const { columns } = words;
  return (
    <Card title={title} aside={items.length < count ? words.shownOf(items.length, count) : note}>
      <table className="list items">
        <caption className="hidden-visually">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.what}</th>
            <th scope="col" className="wide">
              {columns.where}
            </th>
            <th scope="col" className="wide">
              {columns.age}
            </th>
            <th scope="col" className="right">
              {columns.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              <td>
                <b>{words.reasons[item.reason]}</b>
                <span className="narrow">
                  <Line item={item} />
                </span>
                <Cause item={item} />
                {maySimulate && <Correction item={item} />}
              </td>
              <td className="wide">
                <Line item={item} />
                <small>
                  <Moment at={item.occurredAt} />
                </small>
              </td>
              <td className="wide">
                {item.ageBankingDays === 0 ? words.today : words.age(item.ageBankingDays)}
                <small>{words.since(bankingDateInWords(item.firstSeen))}</small>
              </td>
              <td className="right num strong">{money(item.amountCents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** `Ledger journal #1,073 · Settle, money out, settlement cash`. */
function Line({ item: { source, sequence, kind, side, account } }: { item: ReconciliationItem }) {
  const line =
    source === "LedgerEntry" && sequence !== null
      ? words.journal(sequence.toLocaleString("en-US"))
      : words.bankLine;
  return (
    <>
      {line}
      <small>
        {inWords(kind)}, {words.sides[side]}, {words.accounts[account]}
      </small>
    </>
  );
}

/** The order that the line belongs to, or the reference by which the bank knows it. */
function Cause({ item: { paymentOrderId: id, reference } }: { item: ReconciliationItem }) {
  return (
    <small className="mono">
      {id === null ? (
        visible(reference ?? "")
      ) : (
        <Link className="id" to="/orders/$id" params={{ id }}>
          {id}
        </Link>
      )}
    </small>
  );
}

function keyOf({
  source,
  sequence,
  reference,
  paymentOrderId,
  occurredAt,
  side,
}: ReconciliationItem): string {
  return [source, sequence, reference, paymentOrderId, occurredAt, side].join(" ");
}
