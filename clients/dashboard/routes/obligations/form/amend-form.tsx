import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Obligation } from "../../../../typescript/types.gen.ts";
import { useAmendObligation } from "../../../api/books/obligations.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { money } from "../../../parts/values/money.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { paidOf, sumOf } from "../amounts.ts";
import { draftOf, isSame, type LineDraft, linesOf } from "./draft.ts";
import { LineFields } from "./line-fields.tsx";
import { Summary } from "./summary.tsx";

const { form } = obligationTexts;

/** All lines after the amendment. Only actual figures are booked, so there is no other basis to choose. */
export function AmendForm({ obligation }: { obligation: Obligation }) {
  const { id, fixedCents, version } = obligation;
  const navigate = useNavigate();
  const amend = useAmendObligation(id);
  const [before] = useState(obligation);
  const [drafts, setDrafts] = useState<readonly LineDraft[]>(() => draftOf(obligation).lines);
  const change = (next: readonly LineDraft[]) => {
    if (!amend.isPending) amend.reset();
    setDrafts(next);
  };
  const lines = linesOf(drafts);
  const totalCents = lines === undefined ? undefined : sumOf(lines);
  const paidCents = paidOf(obligation);
  // All lines are sent, so those that somebody else has added would be lost.
  const hasChangedSince = !isSame(before.lines, obligation.lines);
  const isBelowPaid = totalCents !== undefined && totalCents < paidCents;
  const isChanged = lines !== undefined && !isSame(lines, obligation.lines);
  const total = totalCents === undefined ? "–" : money(totalCents);
  return (
    <form
      className="order-columns"
      onSubmit={(event) => {
        event.preventDefault();
        if (lines === undefined) return;
        amend.mutate(
          { body: { lines }, version },
          { onSuccess: () => void navigate({ to: "/obligations/$id", params: { id } }) },
        );
      }}
    >
      <div className="column">
        <LineFields lines={drafts} change={change} kinds={["Actual"]} faultAt={faultsOf(amend.error)} />
      </div>
      <Summary
        rows={[
          [form.booked, money(fixedCents)],
          [form.paid, money(paidCents)],
          [form.total, <b key="total">{total}</b>],
          [form.difference, totalCents === undefined ? "–" : signed(totalCents - fixedCents)],
        ]}
        note={form.amendNote}
        missing={
          hasChangedSince
            ? form.changedSince
            : lines === undefined
              ? form.incomplete
              : isBelowPaid
                ? form.belowPaid(money(paidCents))
                : null
        }
        submit={totalCents === undefined ? form.amendAny : form.amend(total)}
        isAsking={amend.isPending}
        error={amend.error}
        request={
          isChanged ? { method: "POST", path: `/v1/obligations/${id}/amend`, body: { lines } } : undefined
        }
        cancelTo={{ to: "/obligations/$id", params: { id } }}
      />
    </form>
  );
}

/** `+$1.00`, `−$1.00`, `$0.00`. */
function signed(cents: number): string {
  return cents > 0 ? `+${money(cents)}` : money(cents);
}
