import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { faultsOf } from "../../../api/client/problem.ts";
import { useCreateCounterparty } from "../../../api/orders/counterparties.ts";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { counterpartyTexts as words } from "../../../texts/counterparties.ts";
import { Crumb } from "../crumb.tsx";
import { AboutFields } from "./about-fields.tsx";
import { AccountFields } from "./account-fields.tsx";
import { bodyOfDraft, type CounterpartyDraft, emptyDraft, missingIn } from "./draft.ts";
import { Summary } from "./summary.tsx";

/** Stores somebody to pay or to collect from. */
export function NewCounterparty() {
  const navigate = useNavigate();
  const create = useCreateCounterparty();
  const [draft, setDraft] = useState<CounterpartyDraft>(emptyDraft);
  const change = (part: Partial<CounterpartyDraft>) => {
    if (!create.isPending) create.reset();
    setDraft({ ...draft, ...part });
  };
  const body = bodyOfDraft(draft, {});
  const faultAt = faultsOf(create.error);
  return (
    <div className="body">
      <PageTitle text={words.new} crumb={<Crumb />} />
      <form
        className="order-columns"
        onSubmit={(event) => {
          event.preventDefault();
          if (body === undefined) return;
          create.mutate(body, {
            onSuccess: ({ id }) => void navigate({ to: "/counterparties/$id", params: { id } }),
          });
        }}
      >
        <div className="column">
          <AboutFields draft={draft} change={change} faultAt={faultAt} />
          <AccountFields draft={draft} change={change} faultAt={faultAt} />
        </div>
        <Summary
          note={words.form.createNote}
          missing={missingIn(draft)}
          submit={words.form.create}
          isAsking={create.isPending}
          error={create.error}
          request={body === undefined ? undefined : { method: "POST", path: "/v1/counterparties", body }}
          cancelTo={{ to: "/counterparties" }}
        />
      </form>
    </div>
  );
}
