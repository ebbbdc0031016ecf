import { useEffect } from "react";
import { followBook, useAwaySince } from "../api/live.ts";
import { Moment } from "../parts/moment.tsx";
import { texts } from "../texts/texts.ts";

/** Follows the book, and says so where it can't: what is shown may be out of date, and deciding waits. */
export function AwayNote() {
  useEffect(() => {
    const page = new AbortController();
    void followBook(page.signal);
    return () => page.abort();
  }, []);
  const since = useAwaySince();
  return (
    <div aria-live="polite">
      {since !== null && (
        <div className="notice warn">
          <div>
            {texts.shell.away} <Moment at={new Date(since).toISOString()} as="time" />
            <small>{texts.shell.awayDetail}</small>
          </div>
        </div>
      )}
    </div>
  );
}
