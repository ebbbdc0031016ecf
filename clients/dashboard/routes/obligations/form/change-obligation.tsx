import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ObligationWithHistory } from "../../../../typescript/types.gen.ts";
import { useMay } from "../../../api/people/me.ts";
import { useObligation } from "../../../api/books/obligations.ts";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { obligationTexts as words } from "../../../texts/obligations.ts";
import { Crumb } from "../obligation/crumb.tsx";
import { AmendForm } from "./amend-form.tsx";
import { EditForm } from "./edit-form.tsx";

const route = getRouteApi("/shell/obligations/$id/edit");

/** Changes an obligation: freely until it is fixed, then by an amendment, and not while an order pays it. */
export function ChangeObligation() {
  const { id } = route.useParams();
  const { data, isError, error, refetch } = useObligation(id);
  if (data !== undefined) return <Shown key={id} obligation={data} />;
  return (
    <>
      <PageTitle text={words.title} />
      {isError ? <Failure error={error} retry={refetch} /> : <Loading lines={10} />}
    </>
  );
}

function Shown({ obligation }: { obligation: ObligationWithHistory }) {
  const { id, status, reference } = obligation;
  const mayWrite = useMay("ledger:write");
  // An open form does not change when somebody else is first: the typed text stays, and the API refuses it.
  const [opened] = useState(status);
  const doing = opened === "Open" ? words.edit : words.amend;
  return (
    <div className="body">
      <PageTitle
        text={doing}
        crumb={
          <>
            <Crumb />
            <Link className="crumb" to="/obligations/$id" params={{ id }}>
              {visible(reference)}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      {!mayWrite ? (
        <Refused id={id} text={words.form.noScope} />
      ) : opened === "Remitting" ? (
        <Refused id={id} text={words.form.remitting} />
      ) : opened === "Open" ? (
        <EditForm obligation={obligation} />
      ) : (
        <AmendForm obligation={obligation} />
      )}
    </div>
  );
}

function Refused({ id, text }: { id: string; text: string }) {
  return (
    <div className="card empty">
      <p>{text}</p>
      <Link className="button" to="/obligations/$id" params={{ id }}>
        {words.form.back}
      </Link>
    </div>
  );
}
