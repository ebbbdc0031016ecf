import { useNavigate } from "@tanstack/react-router";
import { Scale } from "lucide-react";
import { mode } from "../../book.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useMay } from "../../api/people/me.ts";
import { useReconcile } from "../../api/books/reconciliation.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import type { CurlRequest } from "../../parts/copy/curl.ts";
import { FailureNote } from "../../parts/page/failure.tsx";
import { reconciliationTexts as words } from "../../texts/reconciliation.ts";

const start: CurlRequest = { method: "POST", path: "/v1/reconciliations", body: {} };

/**
 * Starts a run and opens it. Only the bank of a Test book issues a statement on request; in Live it sends them
 * daily. The page of a run passes the request that reads this run as `read`: it is copied as curl then.
 */
export function ReconcileNow({ read }: { read?: CurlRequest }) {
  const mayWrite = useMay("ledger:write");
  const reconcile = useReconcile();
  const isAway = useAwaySince() !== null;
  const navigate = useNavigate();
  const mayStart = mode === "Test" && mayWrite;
  if (!mayStart && read === undefined) return null;
  return (
    <>
      <div className="actions push">
        <CopyCurl request={read ?? start} />
        {mayStart && (
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
        )}
      </div>
      {reconcile.isError && <FailureNote error={reconcile.error} />}
    </>
  );
}
