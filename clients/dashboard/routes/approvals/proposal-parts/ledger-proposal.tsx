import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { getLedgerTransaction } from "../../../../typescript/sdk.gen.ts";
import type { InboxLedgerProposal } from "../../../../typescript/types.gen.ts";
import { bodyOf } from "../../../api/client/call.ts";
import { Details } from "../../../parts/page/card.tsx";
import { AccountLink } from "../../../parts/values/account-link.tsx";
import { money } from "../../../parts/values/money.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { approvalTexts } from "../../../texts/approvals.ts";

const { rows } = approvalTexts.proposals;

/** What would move, and between which accounts. */
export function LedgerProposal({ proposal }: { proposal: InboxLedgerProposal }) {
  return proposal.ledgerAccountId === null ? (
    <Transaction proposal={proposal} />
  ) : (
    <Details
      rows={[
        [rows.amount, money(proposal.amountCents)],
        [rows.sender, visible(proposal.description)],
        [rows.account, <AccountLink key="account" id={proposal.ledgerAccountId} />],
        [
          rows.payment,
          <Link key="payment" to="/inbound/$id" params={{ id: proposal.id }}>
            {proposal.id}
          </Link>,
        ],
      ]}
    />
  );
}

function Transaction({ proposal: { id, amountCents, description } }: { proposal: InboxLedgerProposal }) {
  const { data } = useQuery({
    queryKey: ["ledger-transaction", id],
    queryFn: () => bodyOf(getLedgerTransaction({ path: { id } })),
  });
  return (
    <Details
      rows={[
        [rows.amount, money(amountCents)],
        [rows.description, visible(description)],
        ...(data?.entries ?? []).map(
          (entry, index) =>
            [
              rows.entry[entry.direction],
              <span key={index}>
                <AccountLink id={entry.ledgerAccountId} /> <b className="num">{money(entry.amountCents)}</b>
              </span>,
            ] as const,
        ),
        [
          rows.transaction,
          <span key="id" className="mono">
            {id}
          </span>,
        ],
      ]}
    />
  );
}
