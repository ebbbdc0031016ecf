import { type RefObject, useRef } from "react";
import type { VirtualAccount } from "../../../../typescript/types.gen.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { type Action, useChangeVirtualAccount } from "../../../api/books/virtual-accounts.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { virtualAccountTexts } from "../../../texts/virtual-accounts.ts";

const { change: words, form } = virtualAccountTexts;

interface ChangeStatusProps {
  readonly account: VirtualAccount;
  readonly action: Action;
  /** A closed number no longer has the button that opened the sheet, so this one gets the focus. */
  readonly otherButton: RefObject<HTMLButtonElement | null>;
  readonly close: () => void;
}

/** Says before the change where money will go afterwards. */
export function ChangeStatus({ account, action, otherButton, close }: ChangeStatusProps) {
  const { id, name, updatedAt } = account;
  const change = useChangeVirtualAccount(id, action);
  const isAway = useAwaySince() !== null;
  const { title, text, submit } = words[action];
  // Set by the answer, because the sheet may close before the page has drawn the closed number.
  const afterSuccess = useRef<HTMLButtonElement>(null);
  const succeed = () => {
    if (action === "close") afterSuccess.current = otherButton.current;
    close();
  };
  return (
    <Sheet
      title={title(visible(name))}
      close={close}
      focusAfter={account.status === "Closed" ? otherButton : afterSuccess}
    >
      <p>{text}</p>
      {action === "close" && <p className="banner bad">{words.close.final}</p>}
      {change.isError && <FailureNote error={change.error} />}
      <div className="actions">
        {/* First, so that it has the focus: a second Enter must not close a number for good. */}
        <button type="button" onClick={close}>
          {form.cancel}
        </button>
        <CopyCurl request={{ method: "POST", path: `/v1/virtual-accounts/${id}/${action}`, body: {} }} />
        <button
          type="button"
          className={action === "enable" ? "primary push" : "bad push"}
          disabled={change.isPending || isAway}
          onClick={() => change.mutate(updatedAt, { onSuccess: succeed })}
        >
          {change.isPending ? form.asking : submit}
        </button>
      </div>
    </Sheet>
  );
}
