import type { RefObject } from "react";
import { useRef } from "react";
import type { Counterparty } from "../../../../typescript/types.gen.ts";
import { useVerifyCounterparty } from "../../../api/orders/counterparties.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Details } from "../../../parts/page/card.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { masked } from "../../../parts/values/masked.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../../shell/confirm-failure.tsx";
import { approvalTexts } from "../../../texts/approvals.ts";
import { counterpartyTexts } from "../../../texts/counterparties.ts";
import { orderTexts } from "../../../texts/orders.ts";
import { Decision } from "./decision.tsx";
import { useShown } from "../shown-version.tsx";

const { verify: words, accountTypes, details, types } = counterpartyTexts;

export interface CounterpartySheetProps {
  readonly counterparty: Counterparty;
  /** Gets the focus afterwards, when the button that opened the sheet may be gone. */
  readonly focusAfter: RefObject<HTMLElement | null>;
  readonly close: () => void;
}

/** Shows the details that are vouched for. They are verified as they are shown, or not at all. */
export function Verify({ counterparty, focusAfter, close }: CounterpartySheetProps) {
  const { id } = counterparty;
  const { shown, changes, showCurrent } = useShown(counterparty);
  const after = useRef<HTMLElement>(null);
  const verify = useVerifyCounterparty(id, () => {
    after.current = focusAfter.current;
    close();
  });
  const send = () => verify.mutate(shown);
  return (
    <Sheet title={words.title(visible(shown.name))} close={close} focusAfter={after}>
      <p>{words.text}</p>
      <Details
        rows={[
          [details.type, types[shown.type]],
          [details.enteredBy, shown.detailsEnteredBy.map(visible).join(", ")],
          ...shown.accounts.map(
            (account) => [orderTexts.rails[account.rail], accountInWords(account)] as const,
          ),
        ]}
      />
      <ConfirmFailure error={verify.error} retry={send} />
      <Decision
        changes={changes}
        showCurrent={() => {
          verify.reset();
          showCurrent();
        }}
        isPending={verify.isPending}
        submit={words.submit}
        tone="primary"
        decide={send}
        close={close}
      >
        <CopyCurl request={{ method: "POST", path: `/v1/counterparties/${id}/verify`, body: {} }} />
      </Decision>
    </Sheet>
  );
}

/** `•••• 6789 at 790001005, Checking`. */
function accountInWords({ accountNumber, routingNumber, accountType }: Counterparty["accounts"][number]) {
  return (
    <>
      <span className="mono masked">{masked(accountNumber)}</span> {approvalTexts.at}{" "}
      <span className="mono">{visible(routingNumber)}</span>
      {accountType !== null && `, ${accountTypes[accountType]}`}
    </>
  );
}
