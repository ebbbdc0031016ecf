import type { InboundPayment } from "../../../typescript/types.gen.ts";
import type { useAssignInbound } from "../../api/books/inbound.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useMay, useMe } from "../../api/people/me.ts";
import { Card } from "../../parts/page/card.tsx";
import { money } from "../../parts/values/money.ts";
import { inboundTexts } from "../../texts/inbound.ts";

const { assign: assignWords, proposal: words } = inboundTexts;

interface ApproveProps {
  readonly payment: InboundPayment;
  readonly ledgerAccountId: string;
  readonly proposedBy: string;
  readonly assign: ReturnType<typeof useAssignInbound>;
}

/** The second person names the account that the first one proposed: if that has changed, this proposes it again. */
export function ApproveAssignment({ payment, ledgerAccountId, proposedBy, assign }: ApproveProps) {
  const isAway = useAwaySince() !== null;
  const isOwn = useMe().data?.principal === proposedBy;
  const mayApprove = useMay("orders:approve") && !isOwn;
  return (
    <Card title={words.title}>
      <div className="form">
        <p>{words.text}</p>
        {!mayApprove && <p className="dim">{isOwn ? words.own : words.others}</p>}
        {mayApprove && (
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={assign.isPending || isAway}
              onClick={() => assign.mutate({ ledgerAccountId })}
            >
              {assign.isPending ? assignWords.asking : words.approve(money(payment.amountCents))}
            </button>
          </div>
        )}
      </div>
    </Card>
  );
}
