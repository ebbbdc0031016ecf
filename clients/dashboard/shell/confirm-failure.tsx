import { problemOf } from "../api/problem.ts";
import { FailureNote } from "../parts/failure.tsx";
import { texts } from "../texts/texts.ts";
import { AddPasskey } from "./passkeys.tsx";

/** Says why a write was not carried out; nothing if the person cancelled. A person without a passkey adds one here. */
export function ConfirmFailure({ error, retry }: { error: Error | null; retry: () => void }) {
  if (error === null || error instanceof DOMException) return null;
  return (
    <div className="confirm-failure" ref={showWhole}>
      {problemOf(error).code === "passkey_missing" ? (
        <>
          <p>{texts.approvals.sheet.noPasskey}</p>
          <AddPasskey added={retry} />
        </>
      ) : (
        <FailureNote error={error} />
      )}
    </div>
  );
}

/** In a long sheet it would appear below the visible part. */
function showWhole(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
