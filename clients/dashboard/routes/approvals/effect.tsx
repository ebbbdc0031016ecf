import type { LedgerAccount, PaymentOrder } from "../../../typescript/types.gen.ts";
import { useAccount } from "../../api/approvals.ts";
import { Card } from "../../parts/card.tsx";
import { money } from "../../parts/money.ts";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { effect: words } = texts.approvals;

/** The account's balances now and after this order. The order is in what is held, or in what comes in, already. */
export function Effect({ order }: { order: PaymentOrder }) {
  const { data: account } = useAccount(order.ledgerAccountId);
  if (account === undefined) return null;
  return (
    <Card title={words.title(visible(account.name))}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden-visually">{texts.orderPage.entries.account}</span>
            </th>
            <th scope="col" className="right">
              {words.now}
            </th>
            <th scope="col" className="right">
              {words.then}
            </th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(account, order).map(([name, now, then]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="right num">{money(now)}</td>
              <td className="right num strong">{money(then)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="note">
        {order.direction === "Credit" ? words.isHeld : words.isIncoming}
        {account.availableBalanceCents < 0 && ` ${words.overdraft}`}
      </p>
    </Card>
  );
}

/** `pendingBalanceCents` is what is reserved to leave; `pendingInboundCents` what is expected and not yet available. */
function rowsOf(account: LedgerAccount, order: PaymentOrder): readonly (readonly [string, number, number])[] {
  const { postedBalanceCents: posted, pendingBalanceCents: held, availableBalanceCents: available } = account;
  const { amountCents, direction } = order;
  if (direction === "Credit") {
    return [
      [words.posted, posted, posted - amountCents],
      [words.held, held, held - amountCents],
      [words.available, available, available],
    ];
  }
  const incoming = account.pendingInboundCents;
  return [
    [words.posted, posted, posted + amountCents],
    [words.incoming, incoming, incoming - amountCents],
    [words.available, available, available + amountCents],
  ];
}
