import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "../../../typescript/types.gen.ts";
import { Details } from "../../parts/page/card.tsx";
import { inWords } from "../../parts/values/in-words.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { auditTexts as words } from "../../texts/people.ts";
import { actionInWords, valueInWords } from "./in-words.ts";
import { ObjectLink } from "../../parts/page/object-link.tsx";

/** One entry whole, and the way to what else was done by the same principal, or to the same object. */
export function EntrySheet({ entry, close }: { entry: AuditEntry; close: () => void }) {
  const { columns } = words;
  return (
    <Sheet title={actionInWords(entry)} close={close}>
      <Details
        rows={[
          [columns.actor, visible(entry.actor)],
          [columns.at, <Moment key="at" at={entry.at} />],
          [columns.object, entry.objectId === null ? null : <ObjectLink key="object" id={entry.objectId} />],
          ...Object.entries(entry.details).map(
            ([name, value]) => [inWords(name), visible(valueInWords(value))] as const,
          ),
          [columns.address, entry.address],
          [
            words.request,
            <span key="request" className="mono">
              {entry.requestId}
            </span>,
          ],
        ]}
      />
      <div className="actions">
        <Link className="button" to="/audit-log" search={{ actor: entry.actor }} onClick={close}>
          {words.filters.allBy(visible(entry.actor))}
        </Link>
        {entry.objectId !== null && (
          <Link className="button" to="/audit-log" search={{ objectId: entry.objectId }} onClick={close}>
            {words.filters.allOf}
          </Link>
        )}
        <button type="button" className="push" onClick={close}>
          {words.close}
        </button>
      </div>
    </Sheet>
  );
}
