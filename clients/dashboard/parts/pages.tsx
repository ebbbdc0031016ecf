import { texts } from "../texts/texts.ts";

interface PagesProps {
  /** The cursors of the pages up to the shown one; none on the first page. */
  readonly before: readonly string[];
  readonly next: string | null;
  readonly turn: (pages: readonly string[]) => void;
}

/** Previous and next page of a list with the API's cursors; nothing where there is one page. */
export function Pages({ before, next, turn }: PagesProps) {
  if (before.length === 0 && next === null) return null;
  return (
    <nav className="pages" aria-label={texts.parts.pages}>
      <button type="button" disabled={before.length === 0} onClick={() => turn(before.slice(0, -1))}>
        {texts.parts.previous}
      </button>
      <button
        type="button"
        disabled={next === null}
        onClick={() => {
          if (next !== null) turn([...before, next]);
        }}
      >
        {texts.parts.next}
      </button>
    </nav>
  );
}
