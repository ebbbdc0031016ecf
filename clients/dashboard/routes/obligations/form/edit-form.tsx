import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Obligation } from "../../../../typescript/types.gen.ts";
import { useUpdateObligation } from "../../../api/books/obligations.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { money } from "../../../parts/values/money.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { sumOf } from "../amounts.ts";
import { AboutFields } from "./about-fields.tsx";
import { draftOf, isSame, linesOf, missingIn, type ObligationDraft, patchOf } from "./draft.ts";
import { LineFields } from "./line-fields.tsx";
import { Summary } from "./summary.tsx";

const { form } = obligationTexts;

/** Everything but the type, while nothing is booked. */
export function EditForm({ obligation }: { obligation: Obligation }) {
  const { id, version } = obligation;
  const navigate = useNavigate();
  const update = useUpdateObligation(id);
  const [before] = useState(obligation);
  const [draft, setDraft] = useState(() => draftOf(obligation));
  const change = (part: Partial<ObligationDraft>) => {
    if (!update.isPending) update.reset();
    setDraft({ ...draft, ...part });
  };
  const faultAt = faultsOf(update.error);
  const lines = linesOf(draft.lines);
  const patch = lines === undefined ? {} : patchOf(draft, lines, before);
  // What somebody else has changed in the same fields would be lost.
  const hasChangedSince = (Object.keys(patch) as (keyof typeof patch)[]).some((field) =>
    field === "lines" ? !isSame(before.lines, obligation.lines) : before[field] !== obligation[field],
  );
  const isChanged = Object.keys(patch).length > 0;
  return (
    <form
      className="order-columns"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate(
          { patch, version },
          { onSuccess: () => void navigate({ to: "/obligations/$id", params: { id } }) },
        );
      }}
    >
      <div className="column">
        <AboutFields draft={draft} change={change} isNew={false} faultAt={faultAt} />
        <LineFields
          lines={draft.lines}
          change={(next) => change({ lines: next })}
          kinds={["Actual", "Demo", "Missing"]}
          faultAt={faultAt}
        />
      </div>
      <Summary
        rows={[[form.total, <b key="total">{lines === undefined ? "–" : money(sumOf(lines))}</b>]]}
        note={form.editNote}
        missing={hasChangedSince ? form.changedSince : missingIn(draft)}
        submit={form.save}
        isAsking={update.isPending}
        error={update.error}
        request={isChanged ? { method: "PATCH", path: `/v1/obligations/${id}`, body: patch } : undefined}
        cancelTo={{ to: "/obligations/$id", params: { id } }}
      />
    </form>
  );
}
