import { useEffect } from "react";
import { followBook, useAwaySince, useIsOneTooMany } from "../../api/client/live.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { shellTexts } from "../../texts/shell.ts";

/** Follows the book, and says so where it can't: what is shown may be out of date, and deciding waits. */
export function AwayNote() {
  useEffect(() => {
    const page = new AbortController();
    void followBook(page.signal);
    return () => page.abort();
  }, []);
  const since = useAwaySince();
  const isOneTooMany = useIsOneTooMany();
  return (
    <div aria-live="polite">
      {since !== null && (
        <div className="notice warn">
          <div>
            {isOneTooMany && shellTexts.tooManyPages} {shellTexts.away}{" "}
            <Moment at={new Date(since).toISOString()} as="time" />
            <small>{isOneTooMany ? shellTexts.tooManyPagesDetail : shellTexts.awayDetail}</small>
          </div>
        </div>
      )}
    </div>
  );
}
