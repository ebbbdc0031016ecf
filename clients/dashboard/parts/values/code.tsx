import { visibleLines } from "./visible-text.ts";

const maxRows = 24;
const columns = 90;

/** A text as it was sent or received. A field, so that the keyboard can scroll and copy it. */
export function Code({ label, text }: { label: string; text: string }) {
  const shown = visibleLines(text);
  const rows = shown
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  return (
    <textarea
      className="mono code"
      readOnly
      aria-label={label}
      rows={Math.min(rows, maxRows)}
      value={shown}
    />
  );
}
