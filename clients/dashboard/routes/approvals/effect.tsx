import type { LedgerAccount, PaymentOrder } from "../../../typescript/types.gen.ts";
import { useAccount } from "../../api/approvals/approvals.ts";
import { Card } from "../../parts/page/card.tsx";
import { money } from "../../parts/values/money.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { orderPageTexts } from "../../texts/order.ts";
import { statusInWords } from "../order/banner.tsx";

const { effect: words } = approvalTexts;

/** What the order does to its account while it waits; after that, what it did. */
export function Effect({ order }: { order: PaymentOrder }) {
  const { data: account } = useAccount(order.ledgerAccountId);
  if (account === undefined) return null;
  if (order.status === "Pending") return <Forecast account={account} order={order} />;
  const [title, text] = statusInWords(order);
  return (
    <Card title={words.over}>
      <p className="inset">
        <b>{title}</b> {text}
      </p>
    </Card>
  );
}

/** The account's balances now and after this order. The order is in what is held, or in what comes in, already. */
function Forecast({ account, order }: { account: LedgerAccount; order: PaymentOrder }) {
  return (
    <Card title={words.title(visible(account.name))}>
      <table className="stacked">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden-visually">{orderPageTexts.entries.account}</span>
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
              <td className="right num" data-label={words.now}>
                {money(now)}
              </td>
              <td className="right num strong" data-label={words.then}>
                {money(then)}
              </td>
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
