import { Link } from "@tanstack/react-router";
import type { VirtualAccount } from "../../../../typescript/types.gen.ts";
import { Card, Details } from "../../../parts/page/card.tsx";
import { Copyable } from "../../../parts/copy/copyable.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { visible, visibleLines } from "../../../parts/values/visible-text.ts";
import { virtualAccountTexts } from "../../../texts/virtual-accounts.ts";
import { CounterpartyLink } from "../../counterparties/counterparty-link.tsx";

const { details: words, copied } = virtualAccountTexts;

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
