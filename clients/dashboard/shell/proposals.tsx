import type { ReactNode } from "react";
import { type ConfirmedHeaders, useConfirmed } from "../api/confirmed.ts";
import { useAwaySince } from "../api/live.ts";
import type { Mine } from "../api/proposals.ts";
import { Card } from "../parts/card.tsx";
import { Moment } from "../parts/moment.tsx";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { ConfirmFailure } from "./confirm-failure.tsx";

const { proposals: words } = texts;

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
  readonly title: string;
  readonly proposals: readonly Proposal[];
  /** How many wait; the newest of them are shown. */
  readonly count: number;
  readonly approve: Decide;
  readonly deny: Decide;
}

/** What waits for another person. A refusal is shown before the click. */
export function Proposals({ title, proposals, count, approve, deny }: ProposalsProps) {
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
