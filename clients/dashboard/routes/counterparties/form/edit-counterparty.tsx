import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Counterparty } from "../../../../typescript/types.gen.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { useCurrentCounterparty, useReplaceCounterparty } from "../../../api/orders/counterparties.ts";
import { Changed } from "../../../parts/page/changed.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { counterpartyTexts as words } from "../../../texts/counterparties.ts";
import { Crumb } from "../crumb.tsx";
import { useShown } from "../shown-version.tsx";
import { AboutFields } from "./about-fields.tsx";
import { AccountFields } from "./account-fields.tsx";
import { bodyOfDraft, type CounterpartyDraft, draftOf, missingIn } from "./draft.ts";
import { Summary } from "./summary.tsx";

const route = getRouteApi("/shell/counterparties/$id/edit");

/** Replaces the details in full. */
export function EditCounterparty() {
  const { id } = route.useParams();
  const { data, isError, error, refetch } = useCurrentCounterparty(id);
  if (data === undefined) {
    return (
      <>
        <PageTitle text={words.title} />
        {isError ? <Failure error={error} retry={refetch} /> : <Loading lines={10} />}
      </>
    );
  }
  return (
    <div className="body">
      <PageTitle
        text={words.edit}
        crumb={
          <>
            <Crumb />
            <Link className="crumb" to="/counterparties/$id" params={{ id }}>
              {visible(data.name)}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <EditForm key={id} counterparty={data} />
    </div>
  );
}

function EditForm({ counterparty }: { counterparty: Counterparty }) {
  const { id } = counterparty;
  const navigate = useNavigate();
  const replace = useReplaceCounterparty(id);
  const { shown, changes, showCurrent } = useShown(counterparty);
  const [draft, setDraft] = useState<CounterpartyDraft>(() => draftOf(counterparty));
  const change = (part: Partial<CounterpartyDraft>) => {
    if (!replace.isPending) replace.reset();
    setDraft({ ...draft, ...part });
  };
  const body = bodyOfDraft(draft, shown.metadata);
  const faultAt = faultsOf(replace.error);
  const isOutdated = changes.length > 0;
  const goOn = () => {
    if (!replace.isPending) replace.reset();
    showCurrent();
  };
  return (
    <form
      className="order-columns"
      onSubmit={(event) => {
        event.preventDefault();
        if (body === undefined || isOutdated) return;
        replace.mutate(
          { shown, body },
          { onSuccess: () => void navigate({ to: "/counterparties/$id", params: { id } }) },
        );
      }}
    >
      <div className="column">
        <Changed changes={changes}>
          <button
            type="button"
            onClick={() => {
              goOn();
              setDraft(draftOf(counterparty));
            }}
          >
            {words.conflict.restart}
          </button>
          <button type="button" onClick={goOn}>
            {words.conflict.keep}
          </button>
        </Changed>
        <AboutFields draft={draft} change={change} faultAt={faultAt} />
        <AccountFields draft={draft} change={change} faultAt={faultAt} />
      </div>
      <Summary
        note={words.form.editNote}
        missing={missingIn(draft)}
        submit={words.form.save}
        isAsking={replace.isPending}
        error={replace.error}
        request={
          body === undefined || isOutdated
            ? undefined
            : { method: "PUT", path: `/v1/counterparties/${id}`, body }
        }
        cancelTo={{ to: "/counterparties/$id", params: { id } }}
      />
    </form>
  );
}
