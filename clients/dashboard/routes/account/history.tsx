import { useState } from "react";
import type { BalanceHistory } from "../../../typescript/types.gen.ts";
import { useBalanceHistory } from "../../api/books/ledger.ts";
import { Card } from "../../parts/page/card.tsx";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { money } from "../../parts/values/money.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { ledgerTexts } from "../../texts/ledger.ts";
import { type AccountView, ranges } from "../ledger/filters.ts";
import { Chart } from "./chart.tsx";

const { columns, history: words } = ledgerTexts;

interface HistoryProps {
  readonly id: string;
  readonly view: AccountView;
  readonly change: (by: Partial<AccountView>) => void;
}

/** The account's balances over time, as a chart and as its table. */
export function History({ id, view, change }: HistoryProps) {
  const { range = "day" } = view;
  const history = useBalanceHistory(id, range);
  return (
    <Card
      title={words.title}
      aside={
        <span className="ranges">
          {ranges.map((one) => (
            <button
              type="button"
              key={one}
              aria-pressed={one === range}
              onClick={() => change({ range: one })}
            >
              {words.ranges[one]}
            </button>
          ))}
        </span>
      }
    >
      {history.isPending && <Loading lines={7} />}
      {history.data === undefined && history.isError && (
        <Failure error={history.error} retry={history.refetch} />
      )}
      {history.data !== undefined && <Drawn history={history.data} />}
    </Card>
  );
}

function Drawn({ history }: { history: BalanceHistory }) {
  const { data } = history;
  const [pointed, setPointed] = useState<number>();
  const point = data[pointed ?? data.length - 1];
  return (
    <div className="history">
      {point !== undefined && (
        <p className="pointed">
          <Moment at={point.at} />
          <span>
            <i className="key posted" aria-hidden /> {columns.posted}{" "}
            <b className="num">{money(point.postedBalanceCents)}</b>
          </span>
          <span>
            <i className="key available" aria-hidden /> {columns.available}{" "}
            <b className="num">{money(point.availableBalanceCents)}</b>
          </span>
        </p>
      )}
      <Chart points={data} point={setPointed} />
      <details>
        <summary>{words.asTable}</summary>
        <HistoryTable points={data} />
      </details>
    </div>
  );
}

function HistoryTable({ points }: { points: BalanceHistory["data"] }) {
  return (
    <table className="list">
      <caption className="hidden-visually">{words.table}</caption>
      <thead>
        <tr>
          <th scope="col">{words.at}</th>
          <th scope="col" className="right">
            {columns.posted}
          </th>
          <th scope="col" className="right wide">
            {columns.held}
          </th>
          <th scope="col" className="right">
            {columns.available}
          </th>
        </tr>
      </thead>
      <tbody>
        {points.toReversed().map(({ at, postedBalanceCents, pendingBalanceCents, availableBalanceCents }) => (
          <tr key={at}>
            <td>
              <Moment at={at} />
            </td>
            <td className="right num">{money(postedBalanceCents)}</td>
            <td className="right num wide">{money(pendingBalanceCents)}</td>
            <td className="right num">{money(availableBalanceCents)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
