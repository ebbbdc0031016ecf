import type { ReactNode } from "react";
import { useAwaySince } from "../../../api/client/live.ts";
import { Changed } from "../../../parts/page/changed.tsx";
import { counterpartyTexts } from "../../../texts/counterparties.ts";

const { conflict, sheet: words } = counterpartyTexts;

interface DecisionProps {
  /** What has changed since the sheet was opened. Until the person has seen it, nothing is decided. */
  readonly changes: readonly string[];
  readonly showCurrent: () => void;
  readonly isPending: boolean;
  /** For another reason than a change. */
  readonly isRefused?: boolean;
  readonly submit: string;
  readonly tone: "primary" | "bad";
  readonly decide: () => void;
  readonly close: () => void;
  /** Further buttons. */
  readonly children: ReactNode;
}

/** The foot of a sheet that decides on what it shows. */
export function Decision(props: DecisionProps) {
  const { changes, showCurrent, isPending, isRefused = false, submit, tone, decide, close, children } = props;
  const isAway = useAwaySince() !== null;
  return (
    <>
      <Changed changes={changes}>
        <button type="button" onClick={showCurrent}>
          {conflict.look}
        </button>
      </Changed>
      <div className="actions">
        {/* First, so that it has the focus: a second Enter must not decide. */}
        <button type="button" onClick={close}>
          {words.cancel}
        </button>
        {children}
        <button
          type="button"
          className={`${tone} push`}
          disabled={changes.length > 0 || isPending || isRefused || isAway}
          onClick={decide}
        >
          {isPending ? words.asking : submit}
        </button>
      </div>
    </>
  );
}
