import { Link } from "@tanstack/react-router";
import type { VirtualAccount } from "../../../typescript/types.gen.ts";
import { useCounterparty } from "../../api/virtual-accounts.ts";
import { Card, Details } from "../../parts/card.tsx";
import { Copyable } from "../../parts/copyable.tsx";
import { Moment } from "../../parts/moment.tsx";
import { visible, visibleLines } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { details: words, copied } = texts.virtualAccounts;

export function VirtualAccountDetails({ account }: { account: VirtualAccount }) {
  const { routingNumber, externalId, description = null, counterpartyId, metadata } = account;
  const pairs = Object.entries(metadata).map(([key, value]) => `${visible(key)}: ${visible(value)}`);
  return (
    <Card title={words.title}>
      <Details
        rows={[
          [words.routingNumber, <Copyable key="routing" label={copied.routingNumber} text={routingNumber} />],
          [
            words.account,
            <Link key="account" to="/ledger/$id" params={{ id: account.ledgerAccountId }}>
              {visible(account.ledgerAccountName)}
            </Link>,
          ],
          [words.counterparty, counterpartyId === null ? null : <CounterpartyLink id={counterpartyId} />],
          [
            words.description,
            description === null ? null : <span className="lines">{visibleLines(description)}</span>,
          ],
          [
            words.externalId,
            externalId === null ? null : <Copyable label={copied.externalId} text={externalId} />,
          ],
          [words.metadata, pairs.length === 0 ? null : <span className="lines">{pairs.join("\n")}</span>],
          [words.created, <Moment key="created" at={account.createdAt} />],
          [words.updated, <Moment key="updated" at={account.updatedAt} />],
        ]}
      />
    </Card>
  );
}

/** The counterparty's orders, under its name once that is read. */
function CounterpartyLink({ id }: { id: string }) {
  const { data } = useCounterparty(id);
  return (
    <Link to="/orders" search={{ counterpartyId: id }}>
      {data === undefined ? <span className="mono">{id}</span> : visible(data.name)}
    </Link>
  );
}
