import { Link } from "@tanstack/react-router";
import type { ObligationWithHistory } from "../../../../typescript/types.gen.ts";
import { inWords } from "../../../parts/values/in-words.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { tones } from "../obligation-status.tsx";

const { banner: words } = obligationTexts;

/** In which state it is, in sentences; after a payment that failed, why it is payable again. */
export function Banner({ obligation }: { obligation: ObligationWithHistory }) {
  const { status, paymentOrderId, payeeCounterpartyId, fixedCents } = obligation;
  const failure = status === "Fixed" ? failureOf(obligation) : undefined;
  const [title, text] =
    failure !== undefined
      ? [failure, words.payableAgain]
      : status === "Relieved" && fixedCents === 0
        ? words.nothingOwed
        : words[status];
  return (
    <p className={`banner ${failure === undefined ? tones[status] : "bad"}`} aria-live="polite">
      <b>{title}</b> {text}
      {status === "Fixed" && payeeCounterpartyId === null && ` ${words.noPayee}`}
      {status === "Remitting" && paymentOrderId !== null && (
        <>
          {" "}
          <Link to="/orders/$id" params={{ id: paymentOrderId }}>
            {words.order}
          </Link>
        </>
      )}
    </p>
  );
}

/** What became of its last payment, if that has failed. */
function failureOf({ remittances }: ObligationWithHistory): string | undefined {
  const last = remittances.at(-1);
  if (last === undefined || last.event === "Held" || last.event === "Cleared") return undefined;
  const sentence = words.failures[last.event];
  return last.reason === null ? `${sentence}.` : `${sentence}: ${visible(inWords(last.reason))}.`;
}
