import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type {
  BankSide,
  BankStatementFault,
  BankStatementFaultCreate,
  BankStatementFaultKind,
  BankStatementFaultStatus,
} from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { faultsOf } from "../../api/client/problem.ts";
import {
  paths,
  useCorrectStatementError,
  useCreateStatementError,
  useStatementErrors,
} from "../../api/orders/simulator.ts";
import { EmptyList } from "../../parts/page/empty-list.tsx";
import { Card } from "../../parts/page/card.tsx";
import { centsOf } from "../../parts/values/cents-of.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../../parts/page/failure.tsx";
import { ChoiceField, TextField } from "../../parts/form/field.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { simulatorTexts } from "../../texts/simulator.ts";
import { Tabs } from "./tabs.tsx";

const { statementErrors: words } = simulatorTexts;

const kinds = [
  "LineMissing",
  "LineAdded",
  "AmountChanged",
  "WrongHash",
] as const satisfies readonly BankStatementFaultKind[];
const sides = ["Out", "In"] as const satisfies readonly BankSide[];
const tones: Record<BankStatementFaultStatus, Tone> = {
  Waiting: "info",
  Printed: "warn",
  Correcting: "info",
  Corrected: "plain",
};

/** Makes the bank's next statement disagree with the ledger, and the one after it right again. */
export function StatementErrors() {
  const { data, isError, error, refetch } = useStatementErrors();
  return (
    <div className="body">
      <PageTitle text={simulatorTexts.title} />
      <Tabs />
      <div className="order-columns">
        <div className="column">
          {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading />)}
          {data !== undefined && data.length === 0 && (
            <EmptyList title={words.empty} text={words.emptyText} />
          )}
          {data !== undefined && data.length > 0 && <ErrorTable errors={data} />}
        </div>
        <Card title={words.form.title}>
          <ErrorForm />
        </Card>
      </div>
    </div>
  );
}

function ErrorTable({ errors }: { errors: readonly BankStatementFault[] }) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.kind}</th>
            <th scope="col" className="right wide">
              {columns.amount}
            </th>
            <th scope="col" className="wide">
              {columns.made}
            </th>
            <th scope="col">{columns.status}</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ id, kind, status, orderId, bankReference, amountCents, createdAt }) => (
            <tr key={id}>
              <td>
                <b>{words.kinds[kind]}</b>
                {orderId !== null && (
                  <small>
                    <Link className="mono" to="/orders/$id" params={{ id: orderId }}>
                      {orderId}
                    </Link>
                  </small>
                )}
                {bankReference !== null && <small className="mono">{visible(bankReference)}</small>}
              </td>
              <td className="right num wide">{amountCents !== null && money(amountCents)}</td>
              <td className="wide">
                <Moment at={createdAt} />
              </td>
              <td>
                <Chip tone={tones[status]}>{words.statuses[status]}</Chip>
                {(status === "Waiting" || status === "Printed") && <Correct id={id} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Correct({ id }: { id: string }) {
  const correct = useCorrectStatementError();
  const isAway = useAwaySince() !== null;
  return (
    <>
      <span className="actions row-actions">
        <button type="button" disabled={correct.isPending || isAway} onClick={() => correct.mutate(id)}>
          {words.correct}
        </button>
        <CopyCurl request={{ method: "POST", path: paths.correct(id) }} text={simulatorTexts.rails.curl} />
      </span>
      {correct.isError && <FailureNote error={correct.error} />}
    </>
  );
}

interface Draft {
  readonly kind: BankStatementFaultKind;
  readonly orderId: string;
  readonly amount: string;
  readonly side: BankSide;
}

function ErrorForm() {
  const create = useCreateStatementError();
  const isAway = useAwaySince() !== null;
  const [draft, setDraft] = useState<Draft>({ kind: "LineMissing", orderId: "", amount: "", side: "Out" });
  const change = (part: Partial<Draft>) => {
    if (!create.isPending) create.reset();
    setDraft({ ...draft, ...part });
  };
  const { kind } = draft;
  const takesAmount = kind === "LineAdded" || kind === "AmountChanged";
  const body = bodyOf(draft);
  const faultAt = faultsOf(create.error);
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(body);
      }}
    >
      <ChoiceField
        label={words.form.kind}
        options={kinds.map((one) => [one, words.kinds[one]] as const)}
        value={kind}
        fault={faultAt("/kind")}
        change={(one) => change({ kind: one })}
      />
      {(kind === "LineMissing" || kind === "AmountChanged") && (
        <TextField
          label={words.form.order}
          hint={words.form.orderHint}
          fault={faultAt("/orderId")}
          value={draft.orderId}
          change={(orderId) => change({ orderId })}
        />
      )}
      {takesAmount && (
        <TextField
          label={words.form.amount}
          fault={faultAt("/amountCents")}
          inputMode="decimal"
          required
          value={draft.amount}
          change={(amount) => change({ amount })}
        />
      )}
      {kind === "LineAdded" && (
        <ChoiceField
          label={words.form.side}
          options={sides.map((one) => [one, words.form.sides[one]] as const)}
          value={draft.side}
          fault={faultAt("/side")}
          change={(side) => change({ side })}
        />
      )}
      {create.isError && <FailureNote error={create.error} />}
      <div className="actions">
        <button
          type="submit"
          className="primary"
          disabled={create.isPending || isAway || (takesAmount && body.amountCents === undefined)}
        >
          {words.form.submit}
        </button>
        <CopyCurl request={{ method: "POST", path: paths.statementErrors, body }} />
      </div>
      <p className="dim" aria-live="polite">
        {create.isSuccess && words.form.done}
      </p>
    </form>
  );
}

function bodyOf({ kind, orderId, amount, side }: Draft): BankStatementFaultCreate {
  const amountCents = centsOf(amount);
  const namesLine = kind === "LineMissing" || kind === "AmountChanged";
  return {
    kind,
    ...(namesLine && orderId.trim() !== "" ? { orderId: orderId.trim() } : {}),
    ...(kind === "LineAdded" || kind === "AmountChanged"
      ? amountCents === undefined
        ? {}
        : { amountCents }
      : {}),
    ...(kind === "LineAdded" ? { side } : {}),
  };
}
