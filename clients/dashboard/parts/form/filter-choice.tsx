interface FilterChoiceProps<T extends string> {
  readonly label: string;
  /** The text of no filter. */
  readonly any: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly value: T | undefined;
  readonly choose: (value: T | undefined) => void;
}

/** One filter of a list, to choose from a menu. */
export function FilterChoice<T extends string>({ label, any, options, value, choose }: FilterChoiceProps<T>) {
  return (
    <select
      aria-label={label}
      className={value === undefined ? "" : "set"}
      value={value ?? ""}
      onChange={(event) => choose(options.find(([one]) => one === event.target.value)?.[0])}
    >
      <option value="">{any}</option>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
