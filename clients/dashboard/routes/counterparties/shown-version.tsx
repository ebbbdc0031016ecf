import { type ReactNode, useState } from "react";
import type { Counterparty } from "../../../typescript/types.gen.ts";
import { counterpartyTexts } from "../../texts/counterparties.ts";
import { differences } from "./differences.ts";

const { conflict: words } = counterpartyTexts;

/** The counterparty as it was when the sheet or form was opened, which is what the person decides on. */
export function useShown(current: Counterparty) {
  const [shown, setShown] = useState(current);
  return { shown, changes: differences(shown, current), showCurrent: () => setShown(current) };
}

interface ChangedProps {
  readonly changes: readonly string[];
  /** How the person goes on. */
  readonly children: ReactNode;
}

/** Says what somebody else has changed since. */
export function Changed({ changes, children }: ChangedProps) {
  if (changes.length === 0) return null;
  return (
    <div className="notice changed" role="alert">
      <div>
        <b>{words.title}</b> {changes.join(", ")}.<div className="actions">{children}</div>
      </div>
    </div>
  );
}
