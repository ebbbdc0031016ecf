import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "../../../typescript/types.gen.ts";
import { Details } from "../../parts/card.tsx";
import { inWords } from "../../parts/in-words.ts";
import { Moment } from "../../parts/moment.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";
import { actionInWords, valueInWords } from "./in-words.ts";

const { audit: words } = texts;

/** One entry whole, and the way to what else was done by the same principal, or to the same object. */
export function EntrySheet({ entry, close }: { entry: AuditEntry; close: () => void }) {
  const { columns } = words;
  return (
    <Sheet title={actionInWords(entry.action)} close={close}>
      <Details
        rows={[
          [columns.actor, visible(entry.actor)],
          [columns.at, <Moment key="at" at={entry.at} />],
          [columns.object, entry.objectId === null ? null : <ObjectOf key="object" id={entry.objectId} />],
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

function ObjectOf({ id }: { id: string }) {
  if (!id.startsWith("po_")) return <span className="mono">{visible(id)}</span>;
  return (
    <Link className="mono" to="/orders/$id" params={{ id }}>
      {id}
    </Link>
  );
}
