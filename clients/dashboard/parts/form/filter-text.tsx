import { useState } from "react";

interface FilterTextProps {
  readonly label: string;
  readonly value: string;
  /** The id of a datalist with what it suggests. */
  readonly list?: string;
  /** Called with the text at each letter. */
  readonly typing?: (text: string) => void;
  readonly choose: (value: string | undefined) => void;
}

/** One filter of a list, to type. Searches on Enter: each letter would be a request. */
export function FilterText({ label, value, list, typing, choose }: FilterTextProps) {
  const [text, setText] = useState(value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        choose(text.trim() === "" ? undefined : text.trim());
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        list={list}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          typing?.(event.target.value);
        }}
      />
    </form>
  );
}
