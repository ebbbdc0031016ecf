import type { ReconciliationItem } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useCorrectStatementError, useStatementErrors } from "../../api/orders/simulator.ts";
import { FailureNote } from "../../parts/page/failure.tsx";
import { reconciliationTexts } from "../../texts/reconciliation.ts";

const { items: words } = reconciliationTexts;

/**
 * Lets the simulated bank correct the error behind a break; nothing where no open error of a statement is behind
 * it.
 */
export function Correction({ item: { paymentOrderId, reference } }: { item: ReconciliationItem }) {
  const errors = useStatementErrors();
  const error = errors.data?.find(
    ({ orderId, bankReference, status }) =>
      status !== "Corrected" &&
      ((orderId !== null && orderId === paymentOrderId) ||
        (bankReference !== null && bankReference === reference)),
  );
  if (error === undefined) return null;
  return error.status === "Correcting" ? (
    <small>{words.correcting}</small>
  ) : (
    <CorrectError key={error.id} id={error.id} />
  );
}

function CorrectError({ id }: { id: string }) {
  const correct = useCorrectStatementError();
  const isAway = useAwaySince() !== null;
  return (
    <>
      <span className="actions row-actions">
        <button type="button" disabled={correct.isPending || isAway} onClick={() => correct.mutate(id)}>
          {words.correct}
        </button>
      </span>
      {correct.isError && <FailureNote error={correct.error} />}
    </>
  );
}
