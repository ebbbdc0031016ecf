import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { useLedgerTransaction } from "../../api/orders/order.ts";
import { Card } from "../../parts/page/card.tsx";
import { money } from "../../parts/values/money.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { orderPageTexts } from "../../texts/order.ts";

const { entries: words } = orderPageTexts;

/** What the order did in the ledger. Absent while there is nothing, and for who may not read the ledger. */
export function Entries({ order }: { order: PaymentOrder }) {
  const { data } = useLedgerTransaction(order);
  if (data === undefined) return null;
  return (
    <Card title={words.title} aside={`${words[data.status]}, ${words.aside}`}>
      <table className={data.status === "Voided" ? "entries stacked voided" : "entries stacked"}>
        <thead>
          <tr>
            <th scope="col">{words.account}</th>
            <th scope="col" className="right">
              {words.debit}
            </th>
            <th scope="col" className="right">
              {words.credit}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.entries.map(({ ledgerAccountId, ledgerAccountName, direction, amountCents }) => (
            <tr key={`${ledgerAccountId} ${direction}`}>
              <td>{visible(ledgerAccountName)}</td>
              <td className="right num" data-label={words.debit}>
                {direction === "Debit" && money(amountCents)}
              </td>
              <td className="right num" data-label={words.credit}>
                {direction === "Credit" && money(amountCents)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
