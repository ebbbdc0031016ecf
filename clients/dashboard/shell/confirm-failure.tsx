import { problemOf } from "../api/client/problem.ts";
import { FailureNote } from "../parts/page/failure.tsx";
import { approvalTexts } from "../texts/approvals.ts";
import { ChangePassword } from "./person/given-password.tsx";
import { AddPasskey } from "./person/passkeys.tsx";

/** Says why a write was not carried out. A person without a passkey adds one here. */
export function ConfirmFailure({ error, retry }: { error: Error | null; retry: () => void }) {
  if (error === null) return null;
  return (
    <div className="confirm-failure" ref={showWhole}>
      {problemOf(error).code === "passkey_missing" ? (
        <>
          <p>{approvalTexts.sheet.noPasskey}</p>
          <AddPasskey added={retry} />
        </>
      ) : (
        <>
          <FailureNote error={error} />
          {problemOf(error).code === "own_password_required" && <ChangePassword />}
        </>
      )}
    </div>
  );
}

/** In a long sheet it would appear below the visible part. */
function showWhole(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
