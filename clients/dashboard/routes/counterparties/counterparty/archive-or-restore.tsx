import { useRef } from "react";
import { type ArchiveAction, useArchiveOrRestore } from "../../../api/orders/counterparties.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { counterpartyTexts as words } from "../../../texts/counterparties.ts";
import { useShown } from "../shown-version.tsx";
import { Decision } from "./decision.tsx";
import type { CounterpartySheetProps } from "./verify.tsx";

interface ArchiveOrRestoreProps extends CounterpartySheetProps {
  readonly action: ArchiveAction;
}

/** Takes it out of use, or brings it back. */
export function ArchiveOrRestore({ counterparty, action, focusAfter, close }: ArchiveOrRestoreProps) {
  const { id, name } = counterparty;
  const { title, text, submit } = words[action];
  const { shown, changes, showCurrent } = useShown(counterparty);
  const sent = useArchiveOrRestore(id, action);
  const after = useRef<HTMLElement>(null);
  const succeed = () => {
    after.current = focusAfter.current;
    close();
  };
  return (
    <Sheet title={title(visible(name))} close={close} focusAfter={after}>
      <p>{text}</p>
      {sent.isError && <FailureNote error={sent.error} />}
      <Decision
        changes={changes}
        showCurrent={() => {
          sent.reset();
          showCurrent();
        }}
        isPending={sent.isPending}
        submit={submit}
        tone={action === "archive" ? "bad" : "primary"}
        decide={() => sent.mutate(shown, { onSuccess: succeed })}
        close={close}
      >
        <CopyCurl request={{ method: "POST", path: `/v1/counterparties/${id}/${action}`, body: {} }} />
      </Decision>
    </Sheet>
  );
}
