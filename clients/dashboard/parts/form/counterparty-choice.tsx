import { useState } from "react";
import type { Counterparty } from "../../../typescript/types.gen.ts";
import {
  type Choosable,
  useChoosableCounterparties,
  useChosenCounterparty,
} from "../../api/orders/choosable-counterparties.ts";
import { problemOf } from "../../api/client/problem.ts";
import { partTexts } from "../../texts/parts.ts";
import { visible } from "../values/visible-text.ts";
import { ChoiceField, TextField } from "./field.tsx";

const { counterparty: words } = partTexts;

interface CounterpartyChoiceProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault: string | undefined;
  /** The text of the choice of nobody. */
  readonly nobody: string;
  /** Which counterparties can be chosen; all without it. */
  readonly fits?: (counterparty: Counterparty) => boolean;
  /** Draws nothing where only nobody can be chosen. */
  readonly isHiddenIfEmpty?: boolean;
  /** The counterparty's id; empty for nobody. */
  readonly value: string;
  readonly change: (id: string) => void;
}

/** A menu of the newest counterparties and the chosen one. In a book of more, a field above it finds the others. */
export function CounterpartyChoice(props: CounterpartyChoiceProps) {
  const { label, hint, fault, nobody, fits = () => true, isHiddenIfEmpty = false, value, change } = props;
  const [text, setText] = useState("");
  const choosable = useChoosableCounterparties(text);
  const chosen = useChosenCounterparty(value);
  const found = choosable.found.filter(fits);
  const listed = new Map(
    [...found, ...choosable.newest.filter(fits)].map(({ id, name }) => [id, visible(name)] as const),
  );
  const isListed = value === "" || listed.has(value);
  if (isHiddenIfEmpty && isListed && listed.size === 0 && !choosable.hasMore) return null;
  return (
    <>
      {choosable.hasMore && (
        <div aria-live="polite">
          <TextField
            label={words.find}
            hint={text.trim() === "" ? words.hint : outcomeOf(choosable, found.length)}
            maxLength={100}
            value={text}
            change={setText}
            // It stands in a form, which Enter would send.
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
        </div>
      )}
      <ChoiceField
        label={label}
        hint={hint}
        options={[
          ["", nobody],
          ...(isListed ? [] : [[value, visible(chosen?.name ?? value)] as const]),
          ...listed,
        ]}
        value={value}
        fault={fault}
        change={change}
      />
    </>
  );
}

function outcomeOf({ isLooking, problem }: Choosable, count: number): string {
  if (isLooking) return words.looking;
  if (problem === "unavailable") return words.unavailable;
  return problem === null ? words.found(count) : problemOf(problem).detail;
}
