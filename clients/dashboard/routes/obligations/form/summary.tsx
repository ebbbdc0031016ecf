import type { LinkProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAwaySince } from "../../../api/client/live.ts";
import { Card, Details } from "../../../parts/page/card.tsx";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import type { CurlRequest } from "../../../parts/copy/curl.ts";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { obligationTexts } from "../../../texts/obligations.ts";

const { form: words } = obligationTexts;

interface SummaryProps {
  readonly rows: readonly (readonly [string, ReactNode])[];
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

/** The sum of the form, and its button. */
export function Summary(props: SummaryProps) {
  const { rows, note, missing, submit, isAsking, error, request, cancelTo } = props;
  const isAway = useAwaySince() !== null;
  return (
    <Card title={words.summary}>
      <Details rows={rows} />
      <div className="form">
        <p className="dim" aria-live="polite">
          {missing ?? note}
        </p>
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
