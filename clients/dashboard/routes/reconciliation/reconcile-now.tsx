import { useNavigate } from "@tanstack/react-router";
import { Scale } from "lucide-react";
import { mode } from "../../book.ts";
import { useAwaySince } from "../../api/live.ts";
import { useMay } from "../../api/me.ts";
import { useReconcile } from "../../api/reconciliation.ts";
import { CopyCurl } from "../../parts/copy-curl.tsx";
import { FailureNote } from "../../parts/failure.tsx";
import { texts } from "../../texts/texts.ts";

const { reconciliation: words } = texts;

/**
 * Starts a run and opens it. Only the bank of a Test book issues a statement on request; in Live it sends them
 * daily.
 */
export function ReconcileNow() {
  const mayWrite = useMay("ledger:write");
  const reconcile = useReconcile();
  const isAway = useAwaySince() !== null;
  const navigate = useNavigate();
  if (mode !== "Test" || !mayWrite) return null;
  return (
    <>
      <div className="actions push">
        <CopyCurl request={{ method: "POST", path: "/v1/reconciliations", body: {} }} />
        <button
          type="button"
          className="primary"
          disabled={reconcile.isPending || isAway}
          onClick={() =>
            reconcile.mutate(
              {},
              { onSuccess: ({ id }) => void navigate({ to: "/reconciliation/$id", params: { id } }) },
            )
          }
        >
          <Scale aria-hidden /> {reconcile.isPending ? words.reconciling : words.reconcile}
        </button>
      </div>
      {reconcile.isError && <FailureNote error={reconcile.error} />}
    </>
  );
}
