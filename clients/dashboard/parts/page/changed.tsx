import type { ReactNode } from "react";
import { partTexts } from "../../texts/parts.ts";

interface ChangedProps {
  readonly changes: readonly string[];
  /** How the person goes on. */
  readonly children: ReactNode;
}

/** Says what somebody else has changed since a sheet or form was opened. */
export function Changed({ changes, children }: ChangedProps) {
  if (changes.length === 0) return null;
  return (
    <div className="notice changed" role="alert">
      <div>
        <b>{partTexts.changed}</b> {changes.join(", ")}.<div className="actions">{children}</div>
      </div>
    </div>
  );
}
