import { useMutation } from "@tanstack/react-query";
import { callAuth } from "../../api/client/call.ts";
import { problemOf } from "../../api/client/problem.ts";
import { basePath } from "../../book.ts";
import { FailureNote } from "../../parts/page/failure.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { failureTexts, signOutTexts as words } from "../../texts/shell.ts";

/** Ends the session, and then leaves. Stays if that failed: behind a sign-in page the session would go on. */
export function useSignOut() {
  return useMutation({
    mutationFn: async () => {
      try {
        await callAuth("POST", "/sign-out");
      } catch (error) {
        // The session is over already.
        if (problemOf(error).status !== 401) throw error;
      }
    },
    onSuccess: () => {
      sessionStorage.clear();
      location.assign(`${basePath}/sign-in`);
    },
  });
}

/** Says that the session goes on. */
export function SignOutFailure({ signOut }: { signOut: ReturnType<typeof useSignOut> }) {
  if (!signOut.isError) return null;
  return (
    <Sheet title={words.title} close={signOut.reset}>
      <p>{words.text}</p>
      <FailureNote error={signOut.error} />
      <div className="actions">
        <button type="button" className="primary" onClick={() => signOut.mutate()}>
          {failureTexts.tryAgain}
        </button>
        <button type="button" onClick={signOut.reset}>
          {words.stay}
        </button>
      </div>
    </Sheet>
  );
}
