import { useRef } from "react";
import type { ProposedChange } from "../../../../typescript/types.gen.ts";
import { useAcceptChange, useDismissChange } from "../../../api/orders/counterparties.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { ConfirmFailure } from "../../../shell/confirm-failure.tsx";
import { counterpartyTexts } from "../../../texts/counterparties.ts";
import { useShown } from "../shown-version.tsx";
import { Correction } from "./correction.tsx";
import { Decision } from "./decision.tsx";
import type { CounterpartySheetProps } from "./verify.tsx";

const { changes: words } = counterpartyTexts;

export type Verdict = "accept" | "dismiss";
const titles = { accept: words.acceptTitle, dismiss: words.dismissTitle };
const notes = { accept: words.acceptText, dismiss: words.dismissText };
const submits = { accept: words.submitAccept, dismiss: words.submitDismiss };

interface DecideChangeProps extends CounterpartySheetProps {
  readonly change: ProposedChange;
  readonly verdict: Verdict;
}

/** Accepts or dismisses one correction, against the counterparty as it is shown. */
export function DecideChange({ change, verdict, counterparty, focusAfter, close }: DecideChangeProps) {
  const path = { id: counterparty.id, changeId: change.id };
  const { shown, changes, showCurrent } = useShown(counterparty);
  const after = useRef<HTMLElement>(null);
  const succeed = () => {
    after.current = focusAfter.current;
    close();
  };
  const accept = useAcceptChange(path, succeed);
  const dismiss = useDismissChange(path);
  const { error, isPending, reset } = { accept, dismiss }[verdict];
  const send = () => {
    if (verdict === "accept") accept.mutate(shown);
    else dismiss.mutate(shown, { onSuccess: succeed });
  };
  const isDecided = change.status !== "Open";
  return (
    <Sheet title={titles[verdict]} close={close} focusAfter={after}>
      <p>{notes[verdict]}</p>
      <div>
        <Correction change={change} counterparty={shown} />
      </div>
      {isDecided && !isPending && (
        <p className="banner warn" role="alert">
          {words.decided(words.statuses[change.status].toLowerCase())}
        </p>
      )}
      <ConfirmFailure error={error} retry={send} />
      <Decision
        changes={changes}
        showCurrent={() => {
          reset();
          showCurrent();
        }}
        isPending={isPending}
        isRefused={isDecided}
        submit={submits[verdict]}
        tone="primary"
        decide={send}
        close={close}
      >
        <CopyCurl
          request={{
            method: "POST",
            path: `/v1/counterparties/${path.id}/proposed-changes/${path.changeId}/${verdict}`,
            body: {},
          }}
        />
      </Decision>
    </Sheet>
  );
}
