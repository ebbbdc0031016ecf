import { useState } from "react";
import { isDay } from "./day.ts";

interface FilterDayProps {
  readonly label: string;
  readonly day: string | undefined;
  readonly choose: (day: string | undefined) => void;
}

/** A first or last day. A year that is still being typed, such as 0002, is not searched. */
export function FilterDay({ label, day, choose }: FilterDayProps) {
  const [typed, setTyped] = useState({ day, text: day ?? "" });
  if (typed.day !== day) setTyped({ day, text: day ?? "" });
  return (
    <label className="day">
      {label}
      <input
        type="date"
        value={typed.text}
        onChange={({ target: { value } }) => {
          setTyped({ day, text: value });
          if (value === "" || isDay(value)) choose(value === "" ? undefined : value);
        }}
      />
    </label>
  );
}
