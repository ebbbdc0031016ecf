import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { currentStateOf } from "../../api/approvals/current-state.ts";
import { FailureNote } from "../../parts/page/failure.tsx";
import { currentStateInWords } from "../approvals/current-state-in-words.ts";

interface RefusalProps {
  readonly error: unknown;
  /** As it was read after the refusal. */
  readonly order: PaymentOrder;
  /** True if the order is no longer what the action is for. */
  readonly hasMoved: boolean;
}

/** Why an action was refused, and what the order has become. */
export function Refusal({ error, order, hasMoved }: RefusalProps) {
  return (
    <>
      <FailureNote error={error} />
      {hasMoved && <p aria-live="polite">{currentStateInWords(currentStateOf(order))}</p>}
    </>
  );
}
