import type { QueryClient } from "@tanstack/react-query";
import { partTexts } from "../../texts/parts.ts";
import { usePrefetch } from "./prefetch.ts";

export interface PagesProps {
  /** The cursors of the pages up to the shown one; none on the first page. */
  readonly cursors: readonly string[];
  readonly next: string | null;
  /** True while the page before is still shown. */
  readonly isTurning?: boolean;
  readonly turn: (pages: readonly string[]) => void;
  /** Reads the next page ahead. */
  readonly prefetch?: (client: QueryClient, pages: readonly string[]) => Promise<void>;
}

/** Previous and next page of a list with the API's cursors; nothing where there is one page. */
export function Pages({ cursors, next, isTurning = false, turn, prefetch }: PagesProps) {
  const readAhead = usePrefetch(async (client) => {
    if (next !== null) await prefetch?.(client, [...cursors, next]);
  });
  if (cursors.length === 0 && next === null && !isTurning) return null;
  return (
    <nav className="pages" aria-label={partTexts.pages} aria-busy={isTurning}>
      <button type="button" disabled={cursors.length === 0} onClick={() => turn(cursors.slice(0, -1))}>
        {partTexts.previous}
      </button>
      <button
        type="button"
        disabled={next === null}
        {...readAhead}
        onClick={() => {
          if (next !== null) turn([...cursors, next]);
        }}
      >
        {partTexts.next}
      </button>
    </nav>
  );
}
