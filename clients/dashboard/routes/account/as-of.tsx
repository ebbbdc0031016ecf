import { type FormEvent, useState } from "react";
import { Field } from "../../parts/form/field.tsx";
import { ledgerTexts } from "../../texts/ledger.ts";
import type { AccountView } from "../ledger/filters.ts";

const { asOf: words } = ledgerTexts;
const { timeZone } = new Intl.DateTimeFormat("en-US").resolvedOptions();

interface AsOfProps {
  readonly view: AccountView;
  readonly change: (by: Partial<AccountView>) => void;
  /** What is wrong with the time in the address. */
  readonly fault: string | undefined;
}

/** Chooses the time of which the balances are shown, in the reader's zone, which its label names. */
export function AsOf({ view: { asOf }, change, fault }: AsOfProps) {
  const [text, setText] = useState(asOf === undefined ? "" : localTimeOf(new Date(asOf)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const at = new Date(text);
    // A text that can't be read goes into the address, too: the page then shows no balances, and says why.
    change({ asOf: Number.isNaN(at.getTime()) ? text : at.toISOString() });
  };
  return (
    <form className="as-of" noValidate onSubmit={submit}>
      <div aria-live="polite">
        <Field label={words.label(timeZone)} fault={fault}>
          {(own) => (
            <input
              type="datetime-local"
              step={0.001}
              {...own}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </div>
      <button type="submit">{words.show}</button>
      {asOf !== undefined && (
        <button type="button" onClick={() => change({ asOf: undefined })}>
          {words.now}
        </button>
      )}
    </form>
  );
}

/** `2026-11-23T14:05:09.123`, in the reader's zone; empty for a time that can't be read. */
function localTimeOf(at: Date): string {
  if (Number.isNaN(at.getTime())) return "";
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return `${day}T${time}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
