import type { ReactNode } from "react";
import { type ConfirmedHeaders, useConfirmed } from "../api/client/confirmed.ts";
import { useAwaySince } from "../api/client/live.ts";
import { type ProposalKind, proposalRequest } from "../api/approvals/decidable.ts";
import type { Mine } from "../api/approvals/proposals.ts";
import { CopyCurl } from "../parts/copy/copy-curl.tsx";
import { Card } from "../parts/page/card.tsx";
import { Moment } from "../parts/values/moment.tsx";
import { visible } from "../parts/values/visible-text.ts";
import { proposalTexts as words } from "../texts/proposals.ts";
import { ConfirmFailure } from "./confirm-failure.tsx";

export interface Proposal {
  readonly id: string;
  readonly title: string;
  readonly text: ReactNode;
  readonly proposedBy: string;
  readonly proposedAt: string;
  readonly mine: Mine;
}

type Send = (path: { id: string }, headers: ConfirmedHeaders) => Promise<unknown>;
interface Decide {
  readonly operation: string;
  readonly send: Send;
}

interface ProposalsProps {
  readonly kind: ProposalKind;
  readonly title: string;
  readonly proposals: readonly Proposal[];
  /** How many wait; the newest of them are shown. */
  readonly count: number;
  readonly approve: Decide;
  readonly deny: Decide;
}

/** What waits for another person. A refusal is shown before the click. */
export function Proposals({ kind, title, proposals, count, approve, deny }: ProposalsProps) {
  const decision = useConfirmed({
    about: ({ id, verdict }: { id: string; verdict: "approve" | "deny" }) => ({
      operation: { approve, deny }[verdict].operation,
      ids: [id],
    }),
    send: ({ id, verdict }, headers) => ({ approve, deny })[verdict].send({ id }, headers),
  });
  const isHeld = useAwaySince() !== null || decision.isPending;
  if (proposals.length === 0) return null;
  return (
    <Card title={title} aside={words.waiting(count)}>
      <ul className="proposals">
        {proposals.map(({ id, title: name, text, proposedBy, proposedAt, mine }) => (
          <li key={id}>
            <div>
              <b>{name}</b>
              <small>{text}</small>
              <small className="dim">
                {words.by(visible(proposedBy))} <Moment at={proposedAt} />
              </small>
              {!mine.allowed && <small className="warn">{refusalInWords(mine.code)}</small>}
            </div>
            <div className="actions">
              <button
                type="button"
                className="primary"
                disabled={!mine.allowed || isHeld}
                aria-label={words.approveNamed(name)}
                onClick={() => decision.mutate({ id, verdict: "approve" })}
              >
                {words.approve}
              </button>
              <button
                type="button"
                disabled={mine.code === "insufficient_scope" || isHeld}
                aria-label={words.denyNamed(name)}
                onClick={() => decision.mutate({ id, verdict: "deny" })}
              >
                {words.deny}
              </button>
              <CopyCurl request={proposalRequest(kind, id, "approve")} text={words.curl} />
            </div>
          </li>
        ))}
      </ul>
      <div className="proposals-failure">
        <ConfirmFailure
          error={decision.error}
          retry={() => decision.variables !== undefined && decision.mutate(decision.variables)}
        />
      </div>
    </Card>
  );
}

function refusalInWords(code: string | null): string {
  return code !== null && code in words.refused
    ? words.refused[code as keyof typeof words.refused]
    : words.refused.other;
}
