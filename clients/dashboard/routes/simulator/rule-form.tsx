import { useState } from "react";
import type { InjectionFault, Rail, TimeoutThen } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { faultsOf } from "../../api/client/problem.ts";
import { paths, useCreateRule } from "../../api/orders/simulator.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../parts/page/failure.tsx";
import { ChoiceField, TextField } from "../../parts/form/field.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { orderTexts } from "../../texts/orders.ts";
import { simulatorTexts } from "../../texts/simulator.ts";
import { bodyOfRule, emptyRule, type Matched, type RuleDraft, withCode } from "./rule-draft.ts";

const { rules: words } = simulatorTexts;
const { form } = words;

const faults = Object.keys(words.faults) as InjectionFault[];
const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Usdc"] as const satisfies readonly Rail[];
const thens = ["Settle", "Fail", "NeverArrived"] as const satisfies readonly TimeoutThen[];
const matches = ["rail", "orderId", "externalId", "accountNumber"] as const satisfies readonly Matched[];
const directions = ["", "Credit", "Debit"] as const;

interface FieldsProps {
  readonly draft: RuleDraft;
  readonly change: (part: Partial<RuleDraft>) => void;
  readonly faultAt: (pointer: string) => string | undefined;
}

/** A rule decides at hand-off what a rail does with each payment that it matches. */
export function RuleForm({ close }: { close: () => void }) {
  const create = useCreateRule();
  const isAway = useAwaySince() !== null;
  const [draft, setDraft] = useState(emptyRule);
  const body = bodyOfRule(draft);
  const fields: FieldsProps = {
    draft,
    change: (part) => setDraft({ ...draft, ...part }),
    faultAt: faultsOf(create.error),
  };
  return (
    <Sheet title={words.create} close={close}>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (body !== undefined) create.mutate(body, { onSuccess: close });
        }}
      >
        <ChoiceField
          label={form.fault}
          hint={words.faults[draft.fault].text}
          options={faults.map((fault) => [fault, words.faults[fault].name] as const)}
          value={draft.fault}
          fault={fields.faultAt("/fault")}
          change={(fault) => fields.change({ fault })}
        />
        <FaultFields {...fields} />
        <MatchFields {...fields} />
        <div className="pair">
          <TextField
            label={form.percent}
            hint={form.percentHint}
            fault={fields.faultAt("/share")}
            inputMode="decimal"
            value={draft.percent}
            change={(percent) => fields.change({ percent })}
          />
          <TextField
            label={form.count}
            hint={form.countHint}
            fault={fields.faultAt("/count")}
            inputMode="numeric"
            value={draft.count}
            change={(count) => fields.change({ count })}
          />
        </div>
        {create.isError && <FailureNote error={create.error} />}
        <div className="actions">
          <button
            type="submit"
            className="primary"
            disabled={body === undefined || create.isPending || isAway}
          >
            {form.submit}
          </button>
          <button type="button" onClick={close}>
            {form.cancel}
          </button>
          {body !== undefined && <CopyCurl request={{ method: "POST", path: paths.rules, body }} />}
        </div>
      </form>
    </Sheet>
  );
}

/** What only this fault takes. */
function FaultFields({ draft, change, faultAt }: FieldsProps) {
  const text = (field: "newAccountNumber" | "newRoutingNumber" | "newName", pointer: string) => (
    <TextField
      label={form[field]}
      fault={faultAt(`/correctedData/${pointer}`)}
      value={draft[field]}
      change={(value) => change({ [field]: value })}
    />
  );
  return (
    <>
      {withCode.has(draft.fault) && (
        <TextField
          label={form.code}
          hint={draft.fault === "NoticeOfChange" ? form.changeCodeHint : form.codeHint}
          fault={faultAt("/code")}
          maxLength={4}
          value={draft.code}
          change={(code) => change({ code })}
        />
      )}
      {draft.fault === "Timeout" && (
        <ChoiceField
          label={form.then}
          options={thens.map((one) => [one, form.thens[one]] as const)}
          value={draft.then}
          fault={faultAt("/then")}
          change={(then) => change({ then })}
        />
      )}
      {draft.fault === "Delay" && (
        <TextField
          label={form.delay}
          fault={faultAt("/delaySeconds")}
          inputMode="numeric"
          value={draft.delaySeconds}
          change={(delaySeconds) => change({ delaySeconds })}
        />
      )}
      {draft.fault === "NoticeOfChange" && (
        <>
          {text("newAccountNumber", "accountNumber")}
          {text("newRoutingNumber", "routingNumber")}
          {text("newName", "name")}
        </>
      )}
    </>
  );
}

function MatchFields({ draft, change, faultAt }: FieldsProps) {
  const { matched } = draft;
  return (
    <>
      <div className="pair">
        <ChoiceField
          label={form.matched}
          options={matches.map((one) => [one, form.matches[one]] as const)}
          value={matched}
          fault={faultAt("/match")}
          change={(one) => change({ matched: one, value: "" })}
        />
        {matched === "rail" ? (
          <ChoiceField
            label={form.rail}
            options={rails.map((rail) => [rail, orderTexts.rails[rail]] as const)}
            value={draft.rail as (typeof rails)[number]}
            fault={faultAt("/match/rail")}
            change={(rail) => change({ rail })}
          />
        ) : (
          <TextField
            label={form.value[matched]}
            fault={faultAt(`/match/${matched}`)}
            required
            value={draft.value}
            change={(value) => change({ value })}
          />
        )}
      </div>
      <ChoiceField
        label={form.direction}
        options={directions.map((one) => [one, form.directions[one]] as const)}
        value={draft.direction}
        fault={faultAt("/match/direction")}
        change={(direction) => change({ direction })}
      />
    </>
  );
}
