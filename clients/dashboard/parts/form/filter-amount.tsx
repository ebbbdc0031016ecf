import { useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { centsOf } from "../values/cents-of.ts";
import { money } from "../values/money.ts";

interface FilterAmountProps {
  readonly label: string;
  readonly cents: number | undefined;
  readonly choose: (cents: number | undefined) => void;
}

/** A least or largest amount, typed in US dollars. Searches on Enter; the browser refuses what is no amount. */
export function FilterAmount({ label, cents, choose }: FilterAmountProps) {
  const [text, setText] = useState(cents === undefined ? "" : money(cents));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        choose(centsOf(text));
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        inputMode="decimal"
        pattern="\s*\$?\s*(\d+|\d{1,3}(,\d{3})+)(\.\d{0,2})?\s*"
        title={partTexts.amountHint}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}
