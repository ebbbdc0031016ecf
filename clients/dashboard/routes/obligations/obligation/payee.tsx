import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Counterparty, Obligation } from "../../../../typescript/types.gen.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { useCounterparty } from "../../../api/orders/counterparties.ts";
import { useMay } from "../../../api/people/me.ts";
import { useUpdateObligation } from "../../../api/books/obligations.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { Card, Details } from "../../../parts/page/card.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { orderTexts } from "../../../texts/orders.ts";
import { VerificationStatus } from "../../counterparties/verification-status.tsx";
import { railsOf, unpayableReason } from "./payable.ts";
import { PayeeChoice } from "../payee-choice.tsx";

const { payee: words } = obligationTexts;

/** Whom the order will pay, and whether it can. */
export function Payee({ obligation }: { obligation: Obligation }) {
  const { payeeCounterpartyId: id, status } = obligation;
  const mayWrite = useMay("ledger:write");
  const { data: payee, isError, error } = useCounterparty(id);
  return (
    <Card title={words.title}>
      {id === null && <p className="dim">{words.none}</p>}
      {id !== null && payee === undefined && <p className="inset mono">{id}</p>}
      {payee !== undefined && <Known payee={payee} />}
      {payee === undefined && isError && (
        <div className="inset">
          <FailureNote error={error} />
        </div>
      )}
      {mayWrite &&
        (status === "Remitting" ? (
          <p className="dim">{words.remitting}</p>
        ) : (
          <ChangePayee key={id ?? ""} obligation={obligation} />
        ))}
    </Card>
  );
}

function Known({ payee }: { payee: Counterparty }) {
  const reason = unpayableReason(payee);
  const rails = railsOf(payee).map((rail) => orderTexts.rails[rail]);
  return (
    <>
      <div className="payee">
        <Link to="/counterparties/$id" params={{ id: payee.id }}>
          <b>{visible(payee.name)}</b>
        </Link>{" "}
        <VerificationStatus status={payee.verificationStatus} />
      </div>
      <Details rows={[[words.rails, rails.length === 0 ? words.noRail : rails.join(", ")]]} />
      {reason !== null && <p className="notice inset">{reason}</p>}
    </>
  );
}

/** A form. Where a payee is named already, a button opens it. */
function ChangePayee({ obligation }: { obligation: Obligation }) {
  const [isOpen, setOpen] = useState(obligation.payeeCounterpartyId === null);
  if (isOpen) return <SetPayee obligation={obligation} />;
  return (
    <div className="form">
      <div className="actions">
        <button type="button" onClick={() => setOpen(true)}>
          {words.change}
        </button>
      </div>
    </div>
  );
}

function SetPayee({ obligation: { id, payeeCounterpartyId, version } }: { obligation: Obligation }) {
  const current = payeeCounterpartyId ?? "";
  const isAway = useAwaySince() !== null;
  const update = useUpdateObligation(id);
  const [chosen, setChosen] = useState(current);
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        update.mutate({ patch: { payeeCounterpartyId: chosen === "" ? null : chosen }, version });
      }}
    >
      <PayeeChoice value={chosen} change={setChosen} fault={faultsOf(update.error)("/payeeCounterpartyId")} />
      {update.isError && <FailureNote error={update.error} />}
      <div className="actions">
        <button type="submit" disabled={chosen === current || update.isPending || isAway}>
          {update.isPending ? words.saving : words.save}
        </button>
      </div>
    </form>
  );
}
