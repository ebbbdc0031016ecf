import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ObligationCreate } from "../../../../typescript/types.gen.ts";
import { useCreateObligation } from "../../../api/books/obligations.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { money } from "../../../parts/values/money.ts";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { obligationTexts as words } from "../../../texts/obligations.ts";
import { sumOf } from "../amounts.ts";
import { Crumb } from "../obligation/crumb.tsx";
import { AboutFields } from "./about-fields.tsx";
import { emptyDraft, linesOf, missingIn, type ObligationDraft, textOf } from "./draft.ts";
import { LineFields } from "./line-fields.tsx";
import { Summary } from "./summary.tsx";

const { form } = words;

/** Records what is owed while its figures may still change. Nothing is booked. */
export function NewObligation() {
  const navigate = useNavigate();
  const create = useCreateObligation();
  const [draft, setDraft] = useState<ObligationDraft>(emptyDraft);
  const change = (part: Partial<ObligationDraft>) => {
    if (!create.isPending) create.reset();
    setDraft({ ...draft, ...part });
  };
  const body = bodyOfDraft(draft);
  const faultAt = faultsOf(create.error);
  const total = body === undefined ? "–" : money(sumOf(body.lines));
  return (
    <div className="body">
      <PageTitle text={words.new} crumb={<Crumb />} />
      <form
        className="order-columns"
        onSubmit={(event) => {
          event.preventDefault();
          if (body === undefined) return;
          create.mutate(body, {
            onSuccess: ({ id }) => void navigate({ to: "/obligations/$id", params: { id } }),
          });
        }}
      >
        <div className="column">
          <AboutFields draft={draft} change={change} isNew faultAt={faultAt} />
          <LineFields
            lines={draft.lines}
            change={(lines) => change({ lines })}
            kinds={["Actual", "Demo", "Missing"]}
            faultAt={faultAt}
          />
        </div>
        <Summary
          rows={[[form.total, <b key="total">{total}</b>]]}
          note={form.createNote}
          missing={missingIn(draft)}
          submit={body === undefined ? form.createAny : form.create(total)}
          isAsking={create.isPending}
          error={create.error}
          request={body === undefined ? undefined : { method: "POST", path: "/v1/obligations", body }}
          cancelTo={{ to: "/obligations" }}
        />
      </form>
    </div>
  );
}

/** The request's body, or undefined while something is missing. */
function bodyOfDraft(draft: ObligationDraft): ObligationCreate | undefined {
  const lines = linesOf(draft.lines);
  if (lines === undefined || missingIn(draft) !== null) return undefined;
  const jurisdiction = textOf(draft.jurisdiction);
  const period = textOf(draft.period);
  const payeeCounterpartyId = textOf(draft.payeeId);
  return {
    type: draft.type,
    reference: draft.reference.trim(),
    ...(jurisdiction === undefined ? {} : { jurisdiction }),
    ...(period === undefined ? {} : { period }),
    ...(payeeCounterpartyId === undefined ? {} : { payeeCounterpartyId }),
    lines,
  };
}
