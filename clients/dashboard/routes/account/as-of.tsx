import { useState } from "react";
import { texts } from "../../texts/texts.ts";
import type { AccountView } from "../ledger/filters.ts";

const { asOf: words } = texts.ledger;

interface AsOfProps {
  readonly view: AccountView;
  readonly change: (view: AccountView) => void;
}

/** Chooses the time at which the balances are shown, in the reader's zone. */
export function AsOf({ view: { asOf, ...others }, change }: AsOfProps) {
  const [text, setText] = useState(asOf === undefined ? "" : localTimeOf(new Date(asOf)));
  return (
    <form
      className="as-of"
      onSubmit={(event) => {
        event.preventDefault();
        change({ ...others, asOf: new Date(text).toISOString() });
      }}
    >
      <label>
        <span className="dim">{words.label}</span>
        <input
          type="datetime-local"
          step={0.001}
          required
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button type="submit">{words.show}</button>
      {asOf !== undefined && (
        <button type="button" onClick={() => change(others)}>
          {words.now}
        </button>
      )}
    </form>
  );
}

/** `2026-11-23T14:05:09.123`, in the reader's zone. */
function localTimeOf(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return `${day}T${time}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
