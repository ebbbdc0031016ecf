import type { Counterparty } from "../../../../typescript/types.gen.ts";
import { Card } from "../../../parts/page/card.tsx";
import { masked } from "../../../parts/values/masked.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { counterpartyTexts } from "../../../texts/counterparties.ts";
import { orderTexts } from "../../../texts/orders.ts";

const { accounts: words, accountTypes } = counterpartyTexts;

export function Accounts({ counterparty: { accounts } }: { counterparty: Counterparty }) {
  return (
    <Card title={words.title} aside={words.aside}>
      {accounts.length === 0 ? (
        <div className="empty">
          <p>{words.none}</p>
          <p>{words.add}</p>
        </div>
      ) : (
        <AccountTable accounts={accounts} />
      )}
    </Card>
  );
}

function AccountTable({ accounts }: Pick<Counterparty, "accounts">) {
  const { columns } = words;
  return (
    <div className="scroll-x">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.rail}</th>
            <th scope="col">{columns.number}</th>
            <th scope="col">{columns.routing}</th>
            <th scope="col" className="wide">
              {columns.type}
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.map(({ rail, accountNumber, routingNumber, accountType }) => (
            <tr key={rail}>
              <td>{orderTexts.rails[rail]}</td>
              <td className="mono masked">{masked(accountNumber)}</td>
              <td className="mono">{visible(routingNumber)}</td>
              <td className="wide">{accountType === null ? "–" : accountTypes[accountType]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
