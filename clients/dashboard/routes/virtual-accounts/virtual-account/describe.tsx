import { useState } from "react";
import type { VirtualAccount } from "../../../../typescript/types.gen.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { useDescribeVirtualAccount } from "../../../api/books/virtual-accounts.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { virtualAccountTexts } from "../../../texts/virtual-accounts.ts";
import { DescriptionField } from "../description-field.tsx";

const { describe: words, form } = virtualAccountTexts;

interface DescribeProps {
  readonly account: VirtualAccount;
  readonly close: () => void;
}

/** Changes the description, also of a Closed virtual account. Nothing else can be changed. */
export function Describe({ account: { id, description = null, updatedAt }, close }: DescribeProps) {
  const [text, setText] = useState(description ?? "");
  const describe = useDescribeVirtualAccount(id);
  const isAway = useAwaySince() !== null;
  const body = { description: text.trim() === "" ? null : text.trim() };
  return (
    <Sheet title={words.title} close={close}>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          describe.mutate({ ...body, updatedAt }, { onSuccess: close });
        }}
      >
        <DescriptionField fault={faultsOf(describe.error)("/description")} value={text} change={setText} />
        {describe.isError && <FailureNote error={describe.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={describe.isPending || isAway}>
            {describe.isPending ? form.asking : words.submit}
          </button>
          <CopyCurl request={{ method: "PATCH", path: `/v1/virtual-accounts/${id}`, body }} />
          <button type="button" onClick={close}>
            {form.cancel}
          </button>
        </div>
      </form>
    </Sheet>
  );
}
