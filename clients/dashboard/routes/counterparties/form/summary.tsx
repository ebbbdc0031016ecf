import type { LinkProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import { useAwaySince } from "../../../api/client/live.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import type { CurlRequest } from "../../../parts/copy/curl.ts";
import { Card } from "../../../parts/page/card.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { counterpartyTexts } from "../../../texts/counterparties.ts";

const { form: words } = counterpartyTexts;

interface SummaryProps {
  readonly note: string;
  /** Why the form can't be sent as it is, or null. */
  readonly missing: string | null;
  readonly submit: string;
  readonly isAsking: boolean;
  readonly error: Error | null;
  /** What is sent; undefined while something is missing. */
  readonly request: CurlRequest | undefined;
  readonly cancelTo: Pick<LinkProps, "to" | "params">;
}

/** What happens when the form is sent, or what it still needs, and the button that sends it. */
export function Summary({ note, missing, submit, isAsking, error, request, cancelTo }: SummaryProps) {
  const isAway = useAwaySince() !== null;
  return (
    <Card title={words.summary}>
      <div className="form">
        <p aria-live="polite">{missing ?? note}</p>
        {error !== null && <FailureNote error={error} />}
        <div className="actions">
          <button
            type="submit"
            className="primary big"
            disabled={request === undefined || missing !== null || isAsking || isAway}
          >
            {isAsking ? words.asking : submit}
          </button>
          <Link className="button" {...cancelTo}>
            {words.cancel}
          </Link>
          {request !== undefined && <CopyCurl request={request} />}
        </div>
      </div>
    </Card>
  );
}
