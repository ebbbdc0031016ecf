import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { ExternalRail, InboundSimulation, OrderDirection } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { faultsOf } from "../../api/client/problem.ts";
import { paths, useOwnNumbers, useSimulateInbound } from "../../api/orders/simulator.ts";
import { Card } from "../../parts/page/card.tsx";
import { centsOf } from "../../parts/values/cents-of.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../parts/page/failure.tsx";
import { ChoiceField, TextField } from "../../parts/form/field.tsx";
import { money } from "../../parts/values/money.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { orderTexts } from "../../texts/orders.ts";
import { simulatorTexts } from "../../texts/simulator.ts";

const { inbound: words } = simulatorTexts;

const route = getRouteApi("/shell/sandbox/simulator");
const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Usdc"] as const satisfies readonly ExternalRail[];
const directions = ["Credit", "Debit"] as const satisfies readonly OrderDirection[];

interface Draft {
  readonly number: string;
  readonly rail: ExternalRail;
  readonly direction: OrderDirection;
  readonly amount: string;
  readonly sender: string;
}

/** Money comes in on one of the book's numbers; on any other number it goes to Suspense. */
export function Inbound() {
  const simulate = useSimulateInbound();
  const isAway = useAwaySince() !== null;
  const { virtualAccountId } = route.useSearch();
  const { data: accounts = [] } = useOwnNumbers();
  const asked = accounts.find(({ id }) => id === virtualAccountId)?.accountNumber ?? "";
  const [typed, setTyped] = useState<Omit<Draft, "number"> & { readonly number?: string }>({
    rail: "Ach",
    direction: "Credit",
    amount: "",
    sender: "",
  });
  const draft = { ...typed, number: typed.number ?? asked };
  const change = (part: Partial<Draft>) => setTyped({ ...typed, ...part });
  const body = bodyOf(draft);
  const faultAt = faultsOf(simulate.error);
  return (
    <Card title={words.title}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (body !== undefined) simulate.mutate(body);
        }}
      >
        <div className="pair">
          <NumberField draft={draft} change={change} fault={faultAt("/virtualAccountNumber")} />
          <TextField
            label={words.amount}
            fault={faultAt("/amountCents")}
            inputMode="decimal"
            value={draft.amount}
            change={(amount) => change({ amount })}
          />
        </div>
        <div className="pair">
          <ChoiceField
            label={words.rail}
            options={rails.map((rail) => [rail, orderTexts.rails[rail]] as const)}
            value={draft.rail}
            fault={faultAt("/rail")}
            change={(rail) => change({ rail })}
          />
          <ChoiceField
            label={words.direction}
            options={directions.map((one) => [one, words.directions[one]] as const)}
            value={draft.direction}
            fault={faultAt("/direction")}
            change={(direction) => change({ direction })}
          />
        </div>
        <TextField
          label={words.sender}
          fault={faultAt("/originatorName")}
          value={draft.sender}
          change={(sender) => change({ sender })}
        />
        {simulate.isError && <FailureNote error={simulate.error} />}
        <div className="actions">
          <button
            type="submit"
            className="primary"
            disabled={body === undefined || simulate.isPending || isAway}
          >
            {body === undefined ? words.submitAny : words.submit[draft.direction](money(body.amountCents))}
          </button>
          {body !== undefined && <CopyCurl request={{ method: "POST", path: paths.inbound, body }} />}
        </div>
        <p className="dim" aria-live="polite">
          {simulate.isSuccess && words.done(simulate.data.bankReference)}
        </p>
      </form>
    </Card>
  );
}

interface NumberFieldProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly fault: string | undefined;
}

function NumberField({ draft, change, fault }: NumberFieldProps) {
  const { data: accounts = [] } = useOwnNumbers();
  return (
    <>
      <TextField
        label={words.number}
        hint={words.numberHint}
        fault={fault}
        list="own-numbers"
        value={draft.number}
        change={(number) => change({ number })}
      />
      <datalist id="own-numbers">
        {accounts.map(({ id, accountNumber, name }) => (
          <option key={id} value={accountNumber}>
            {visible(name)}
          </option>
        ))}
      </datalist>
    </>
  );
}

function bodyOf({ number, rail, direction, amount, sender }: Draft): InboundSimulation | undefined {
  const amountCents = centsOf(amount);
  if (number.trim() === "" || sender.trim() === "" || amountCents === undefined) return undefined;
  return {
    virtualAccountNumber: number.trim(),
    rail,
    direction,
    amountCents,
    originatorName: sender.trim(),
  };
}
